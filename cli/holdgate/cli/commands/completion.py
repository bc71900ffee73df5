"""`gateway completion`: the script by which a shell completes commands, ids and names."""

from __future__ import annotations

import click

# Bash takes words apart at its COMP_WORDBREAKS, colons too, and models have colons in their names:
# the pieces are put together again as they stand in the line, and each offer loses what bash took
# for an earlier word.
_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' line=$COMP_LINE space word current i response completion type value
    local -a words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        space=${line%%%%[![:space:]]*}
        line=${line#"$space"}
        if ((i > 0)) && [[ -z $space && -n $word ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
        line=${line#"$word"}
    done
    current=${words[-1]}
    [[ $current == -*=* ]] && current=${current#*=}

    response=$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) \\
        %(complete_var)s=bash_complete "$1" 2>/dev/null)

    COMPREPLY=()
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain)
                if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
                    value=${value#"${current%%:*}:"}
                fi
                COMPREPLY+=("$value")
                ;;
        esac
    done
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""

# The programs that there are; whatever else Python was started with is none that a shell knows.
_PROGRAMS = ("gateway", "gateway-nogui")


@click.command("completion", epilog='Example: eval "$(gateway completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "powershell"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that lets SHELL complete commands, request ids and names.

    \b
    bash: in ~/.bashrc:  eval "$(gateway completion bash)"
    zsh: in ~/.zshrc, below compinit:  eval "$(gateway completion zsh)"
    fish: gateway completion fish > ~/.config/fish/completions/gateway.fish
    PowerShell: in $PROFILE:
        gateway completion powershell | Out-String | Invoke-Expression
    """
    from click.shell_completion import get_completion_class

    root = ctx.find_root()
    name = root.info_name if root.info_name in _PROGRAMS else _PROGRAMS[0]
    variable = f"_{name}_COMPLETE".replace("-", "_").upper()
    found = get_completion_class(shell)
    assert found is not None
    made = found(root.command, {}, name, variable)
    click.echo(_BASH % made.source_vars() if shell == "bash" else made.source(), nl=False)
