#!/bin/bash
# A libvirt host of its own, with nothing but the machine's network and disks in common with others: private /run,
# private processes, an unprivileged libvirtd. To be run by
#   unshare --mount --propagation private --pid --fork --kill-child --mount-proc libvirt-host.sh UUID UID:GID
# It ends when its input does, and with it all that runs in it.
set -euo pipefail
uuid=$1 user=${2%:*} group=${2#*:}
home=/run/user/$user

mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/vm $home/config/libvirt $home/cache
cat > $home/config/libvirt/qemu.conf <<END
stdio_handler = "file"
security_driver = "none"
namespaces = []
END
cat > $home/config/libvirt/libvirtd.conf <<END
host_uuid = "$uuid"
auth_unix_rw = "none"
END
chown -R $user:$group /run/vm $home

setpriv --reuid=$user --regid=$group --clear-groups \
  env -i PATH=$PATH HOME=$home XDG_RUNTIME_DIR=$home XDG_CONFIG_HOME=$home/config XDG_CACHE_HOME=$home/cache \
  libvirtd --config $home/config/libvirt/libvirtd.conf < /dev/null > /run/vm/libvirtd.log 2>&1 &
echo started
# bash, as the first process, takes note of the children of others that end meanwhile.
read -r _ || true
