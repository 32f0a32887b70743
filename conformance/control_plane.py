"""Control planes on loopback: one etcd, and for each of them an API server, a scheduler and a controller manager."""

from __future__ import annotations

import base64
import http.client
import json
import os
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.api_client import Client, Endpoint, Refused
from conformance.processes import Supervisor, free_ports
from conformance.tools import Release

CONTROLLERS = (
    "cronjob-controller",
    "daemonset-controller",
    "deployment-controller",
    "device-taint-eviction-controller",
    "disruption-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "persistentvolume-binder-controller",
    "persistentvolume-protection-controller",
    "persistentvolumeclaim-protection-controller",
    "replicaset-controller",
    "resourceclaim-controller",
    "resourcequota-controller",
    "statefulset-controller",
)
_EC_HEAD = bytes.fromhex("30310201010420")
_EC_TAIL = bytes.fromhex("a00a06082a8648ce3d030107")


class DidNotStart(RuntimeError):
    """A component did not come up; the message holds the end of its log."""


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """One running control plane.

    Attributes:
        number: tells it from the others of the run.
        client: asks its API server.
        kubeconfig: for kubectl.
    """

    number: int
    client: Client
    kubeconfig: Path


def start(
    supervisor: Supervisor,
    release: Release,
    count: int,
    controllers: Sequence[str] = CONTROLLERS,
    without: Sequence[str] = (),
) -> tuple[ControlPlane, ...]:
    """Start `count` control planes beside each other; they share one etcd, each below its own prefix.

    Where no controllers are named there is no controller manager; `without` are admission plugins to switch off.

    Raises:
        DidNotStart: one of the programs ended or did not answer in time.
    """
    client_port, peer_port, *ports = free_ports(2 + count)
    etcd = f"http://127.0.0.1:{client_port}"
    supervisor.start(
        "etcd",
        [
            release.program("etcd"),
            f"--data-dir={supervisor.folder}/etcd",
            f"--listen-client-urls={etcd}",
            f"--advertise-client-urls={etcd}",
            f"--listen-peer-urls=http://127.0.0.1:{peer_port}",
            f"--initial-advertise-peer-urls=http://127.0.0.1:{peer_port}",
            f"--initial-cluster=default=http://127.0.0.1:{peer_port}",
            "--unsafe-no-fsync",
            "--log-level=error",
        ],
    )
    _wait_for_etcd(supervisor, client_port)
    prepared = [_api_server(supervisor, release, number, etcd, port, without) for number, port in enumerate(ports)]
    planes = tuple(
        _rest(supervisor, release, number, endpoint, controllers) for number, endpoint in enumerate(prepared)
    )
    for plane in planes:
        _wait_for(supervisor, plane)
    return planes


def _api_server(
    supervisor: Supervisor, release: Release, number: int, etcd: str, port: int, without: Sequence[str]
) -> Endpoint:
    folder = supervisor.folder / f"plane-{number}"
    folder.mkdir()
    token = secrets.token_hex(16)
    _secret(folder / "tokens.csv", f"{token},conformance,conformance,system:masters\n")
    _secret(folder / "service-account.key", service_account_key())
    supervisor.start(
        f"kube-apiserver-{number}",
        [
            release.program("kube-apiserver"),
            f"--etcd-servers={etcd}",
            f"--etcd-prefix=/plane-{number}",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={port}",
            f"--cert-dir={folder}",
            f"--token-auth-file={folder}/tokens.csv",
            "--anonymous-auth=false",
            "--authorization-mode=RBAC",
            f"--service-account-key-file={folder}/service-account.key",
            f"--service-account-signing-key-file={folder}/service-account.key",
            "--service-account-issuer=https://conformance.invalid",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--endpoint-reconciler-type=none",
            f"--disable-admission-plugins={','.join(('ServiceAccount', 'TaintNodesByCondition', *without))}",
            "--enable-priority-and-fairness=false",
            "--profiling=false",
        ],
    )
    return Endpoint(port, token, str(folder / "apiserver.crt"))


def _rest(
    supervisor: Supervisor, release: Release, number: int, endpoint: Endpoint, controllers: Sequence[str]
) -> ControlPlane:
    folder = supervisor.folder / f"plane-{number}"
    _wait_until_ready(supervisor, number, endpoint)
    kubeconfig = folder / "kubeconfig"
    _secret(kubeconfig, _kubeconfig(endpoint))
    configuration = folder / "scheduler.yaml"
    configuration.write_text(json.dumps(_scheduler_configuration(kubeconfig)), encoding="utf-8")
    supervisor.start(
        f"kube-scheduler-{number}",
        [
            release.program("kube-scheduler"),
            f"--config={configuration}",
            "--secure-port=0",
            # what waits is tried again at every flush, twice a minute, also when no event says that it might fit
            "--pod-max-in-unschedulable-pods-duration=2s",
        ],
    )
    if not controllers:
        return ControlPlane(number, Client(endpoint), kubeconfig)
    supervisor.start(
        f"kube-controller-manager-{number}",
        [
            release.program("kube-controller-manager"),
            f"--kubeconfig={kubeconfig}",
            "--leader-elect=false",
            "--secure-port=0",
            "--kube-api-qps=1000",
            "--kube-api-burst=2000",
            f"--controllers={','.join(controllers)}",
            "--pvclaimbinder-sync-period=1s",
            "--profiling=false",
        ],
    )
    return ControlPlane(number, Client(endpoint), kubeconfig)


def _scheduler_configuration(kubeconfig: Path) -> dict[str, object]:
    """The default profile; only the back-off of pods that do not fit is as short as it can be."""
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {"kubeconfig": str(kubeconfig), "qps": 1000, "burst": 2000},
        "podInitialBackoffSeconds": 1,
        "podMaxBackoffSeconds": 1,
    }


def _kubeconfig(endpoint: Endpoint) -> str:
    server = {"server": f"https://127.0.0.1:{endpoint.port}", "certificate-authority": endpoint.authority}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "conformance", "cluster": server}],
            "users": [{"name": "conformance", "user": {"token": endpoint.token}}],
            "contexts": [{"name": "conformance", "context": {"cluster": "conformance", "user": "conformance"}}],
            "current-context": "conformance",
        }
    )


def service_account_key() -> str:
    """A fresh P-256 private key: in SEC 1 form it is 32 random bytes between constants, the public half is optional."""
    # the first byte stays below 0xff so that the number is less than the order of the curve
    scalar = bytes([secrets.randbelow(254) + 1]) + secrets.token_bytes(31)
    body = base64.b64encode(_EC_HEAD + scalar + _EC_TAIL).decode()
    return f"-----BEGIN EC PRIVATE KEY-----\n{body}\n-----END EC PRIVATE KEY-----\n"


def _secret(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


def _wait_for_etcd(supervisor: Supervisor, port: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and not supervisor.dead():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        except (OSError, http.client.HTTPException):
            time.sleep(0.1)
        finally:
            connection.close()
    raise DidNotStart(f"etcd did not start:\n{supervisor.log('etcd')}")


def _wait_until_ready(supervisor: Supervisor, number: int, endpoint: Endpoint) -> None:
    until = time.monotonic() + 180
    while time.monotonic() < until and not supervisor.dead():
        if Path(endpoint.authority).is_file():
            try:
                Client(endpoint).request("GET", "/readyz")
            except (OSError, http.client.HTTPException, Refused):
                pass
            else:
                return
        time.sleep(0.2)
    raise DidNotStart(_story(supervisor, f"kube-apiserver-{number}"))


def _wait_for(supervisor: Supervisor, plane: ControlPlane) -> None:
    """Wait until namespace `default` and the built-in PriorityClasses exist, and every program still runs."""
    until = time.monotonic() + 120
    wanted = ("/api/v1/namespaces/default", "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical")
    while time.monotonic() < until and not supervisor.dead():
        if all(plane.client.get(path) for path in wanted):
            return
        time.sleep(0.2)
    raise DidNotStart(_story(supervisor, f"kube-apiserver-{plane.number}"))


def _story(supervisor: Supervisor, waited_for: str) -> str:
    """What the programs that ended said last; where none did, the one that was waited for."""
    return "\n".join(f"{name}:\n{supervisor.log(name)}" for name in supervisor.dead() or (waited_for,))
