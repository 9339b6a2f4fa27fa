"""step4.py POLICY REQUESTS SLOTS LINE: step 4's experiment in SimPy, as its users
would write it: a process for the request, one for the client that waits for it.

Prints: seconds of the processor, ok, shed, timeout."""
import sys
import time

import simpy


def request(env, service, finished):
    with service.request() as slot:
        yield slot
        yield env.timeout(0.05)
    finished.succeed()


def client(env, service, most, counts):
    if len(service.queue) >= most:
        counts["shed"] += 1
        return
    patience = env.timeout(1)
    finished = env.event()
    env.process(request(env, service, finished))
    outcome = yield finished | patience
    counts["timeout" if patience in outcome else "ok"] += 1


def arrivals(env, service, most, counts, requests, rate):
    for number in range(requests):
        yield env.timeout(number / rate - env.now)
        env.process(client(env, service, most, counts))


def main():
    policy, requests, slots, line = sys.argv[1], *map(int, sys.argv[2:])
    env = simpy.Environment()
    service = simpy.Resource(env, capacity=slots)
    counts = {"ok": 0, "shed": 0, "timeout": 0}
    most = line if policy == "limits" else float("inf")
    begin = time.process_time()
    env.process(arrivals(env, service, most, counts, requests, 40 * slots))
    while sum(counts.values()) < requests:
        env.step()
    seconds = time.process_time() - begin
    print(f"{seconds:.6f} {counts['ok']} {counts['shed']} {counts['timeout']}")


main()
