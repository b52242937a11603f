#!/bin/bash
# Lifecycle script of every HyperPod node, run once per root volume: moves the data of containerd and kubelet from
# the root volume, which cannot grow, to the node's large volume if it has one.
set -Eeuo pipefail # -E: functions inherit the trap below

log_file=/var/log/provision/provisioning.log # the file that HyperPod sends to CloudWatch
mkdir -p "$(dirname "$log_file")"
exec > >(tee -a "$log_file") 2>&1

log() {
  echo "$(date -u +%FT%TZ) on_create: $*"
}

trap 'log "failed at line $LINENO with status $?"' ERR

# Instance store first: it is local and faster than the additional EBS volume.
volumes=(/opt/dlami/nvme /opt/sagemaker)

any_exists() {
  local path
  for path in "$@"; do
    if [[ -e $path ]]; then return 0; fi
  done
  return 1
}

large_volume() {
  local path
  for path in "${volumes[@]}"; do
    if mountpoint -q "$path"; then
      echo "$path"
      return 0
    fi
  done
  return 1
}

# The image mounts volumes while this script already runs; a node without their directories gets none.
find_large_volume() {
  local attempt
  any_exists "${volumes[@]}" || return 1
  for attempt in {1..12}; do
    large_volume && return 0
    if [[ $attempt -lt 12 ]]; then sleep 5; fi
  done
  return 1
}

# A mount beneath the known path instead of another path in a configuration file: some images write that file anew
# at every start, and device plugins and CSI drivers expect /var/lib/kubelet.
write_mount_unit() {
  local service=$1 volume=$2
  cat > "/etc/systemd/system/var-lib-$service.mount" <<UNIT
[Unit]
Description=Data of $service on $volume
ConditionPathIsMountPoint=$volume
After=local-fs.target dlami-nvme.service
Before=$service.service
DefaultDependencies=no

[Mount]
What=$volume/$service
Where=/var/lib/$service
Type=none
Options=bind

[Install]
WantedBy=$service.service
UNIT
}

relocate() {
  local service=$1 volume=$2 was_active=no
  if mountpoint -q "/var/lib/$service"; then
    log "$service is already on a volume of its own"
    return 0
  fi
  if systemctl is-active --quiet "$service"; then
    was_active=yes
    systemctl stop "$service"
  fi
  mkdir -p "/var/lib/$service" "$volume/$service"
  cp -a "/var/lib/$service/." "$volume/$service/"
  write_mount_unit "$service" "$volume"
  systemctl daemon-reload
  systemctl enable --now "var-lib-$service.mount"
  if [[ $was_active == yes ]]; then systemctl start "$service"; fi
  log "moved $service to $volume"
}

# Images differ in what they install and where, so what is absent is left alone.
relocate_if_installed() {
  local service=$1 volume=$2
  shift 2
  if any_exists "$@"; then
    relocate "$service" "$volume"
  else
    log "none of $* exists: $service stays where it is"
  fi
}

log "started"
if volume=$(find_large_volume); then
  relocate_if_installed containerd "$volume" /etc/containerd/config.toml /etc/eks/containerd/containerd-config.toml
  relocate_if_installed kubelet "$volume" /etc/systemd/system/kubelet.service /usr/lib/systemd/system/kubelet.service
else
  log "no large volume: nothing to move"
fi
log "finished"
