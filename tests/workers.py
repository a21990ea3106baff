"""Workers of a cluster for tests: as many as wanted, and some that are killed."""

import os
import random
import signal
import threading
import time

import pytest


def with_workers(cluster, client, count):
    """Have so many workers; one that was killed while it started is not started again, so that all are anew."""
    for wanted in (count, 0, count):
        cluster.scale(wanted)
        for _ in range(400):
            if len(client.scheduler_info(n_workers=-1)["workers"]) == wanted:
                break
            time.sleep(0.05)
        else:
            continue
        if wanted == count:
            return
    pytest.fail(f"There are no {count} workers.")


class Killer(threading.Thread):
    """Kills a worker, by the signal that none can catch, after each of some delays."""

    def __init__(self, client, delays):
        super().__init__(daemon=True)
        self.client, self.delays, self.killed = client, delays, 0

    def run(self):
        for delay in self.delays:
            time.sleep(delay)
            pids = list(self.client.run(os.getpid).values())
            os.kill(random.choice(pids), signal.SIGKILL)
            self.killed += 1
