"""Translation of the dialect `responses`: its readers and writers of the neutral form."""
