# Sourced by samples/demo and tests/run: what they need from the system, installed or named.
#
#   install_missing PACKAGE=PROBE...
#
# A probe is a command (`gcc`), a header (`zlib.h`) or a file with its path (`/usr/share/...`).
# Packages whose probe fails are installed with apt-get as root or through `sudo -n`.
# Where that is not possible, or INSTALL=no, the command that would do it is printed and the
# result is 2. apt-get writes to the file INSTALL_LOG, whose end is shown when it fails (result 1).

install_is_present() {
    case $1 in
    /*) [ -e "$1" ] ;;
    *.h)
        local folder
        for folder in /usr/include /usr/include/*-linux-gnu /usr/local/include; do
            if [ -e "$folder/$1" ]; then return 0; fi
        done
        return 1
        ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

install_missing() {
    local pair missing=() how=()
    for pair in "$@"; do
        install_is_present "${pair#*=}" && continue
        [[ " ${missing[*]} " == *" ${pair%%=*} "* ]] || missing+=("${pair%%=*}")
    done
    if [ ${#missing[@]} -eq 0 ]; then return 0; fi

    local refused=
    if [ "${INSTALL:-yes}" = no ]; then
        refused='installing is switched off'
    elif ! command -v apt-get >/dev/null 2>&1; then
        refused='this system has no apt-get; the names are those of Debian'
    elif [ "$(id -u)" -ne 0 ]; then
        if sudo -n true 2>/dev/null; then
            how=(sudo -n)
        else
            refused='needs root, or sudo without a password'
        fi
    fi
    if [ -n "$refused" ]; then
        echo "Missing: ${missing[*]} ($refused)." >&2
        echo "Install them with:" >&2
        echo "    sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
        return 2
    fi

    local log=${INSTALL_LOG:-/dev/null}
    echo "installing ${missing[*]}" | fold -s -w 76 | sed 's/ *$//; 2,$s/^/    /'
    if ! { "${how[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q update &&
        "${how[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get -q install -y --no-install-recommends "${missing[@]}"; } \
        >>"$log" 2>&1 </dev/null; then
        echo "apt-get failed; the end of its output ($log):" >&2
        tail -n 15 "$log" | sed 's/^/    /' >&2
        return 1
    fi
}

# The packages that building tickflame takes.
INSTALL_BUILD=(gcc=gcc libc6-dev=stdlib.h cmake=cmake make=make zlib1g-dev=zlib.h libelf-dev=libelf.h
    libiberty-dev=libiberty/demangle.h libpcre2-dev=pcre2.h
    libunwind-dev=libunwind.h libwebsockets-dev=libwebsockets.h)
