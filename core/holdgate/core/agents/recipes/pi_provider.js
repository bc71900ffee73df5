// What `gateway run pi` loads into pi: a provider, as a variable tells it. Nothing is written.
export default function (pi) {
  pi.registerProvider("holdgate", JSON.parse(process.env.HOLDGATE_PI_PROVIDER));
}
