import { VirtualClock } from '@botwright/clock'
import { badService, type Behaviour } from './bad-service.test.fixture.ts'
import type { RestOptions, RestReport } from './call-types.ts'
import { createCall } from './calls/http-call.ts'
import { createClient } from './client.ts'

export const TOKEN = 'canary-bot-token-7f3a'

/** A client, the failing service that it calls, and the clock of both. */
export async function rig(
  behaviours: Behaviour[],
  { clock = new VirtualClock(), ...options }: Partial<Omit<RestOptions, 'clock'>> & { clock?: VirtualClock } = {},
) {
  const service = await badService(behaviours, clock)
  const reports: RestReport[] = []
  const call = createCall({
    baseUrl: service.baseUrl,
    token: TOKEN,
    clock,
    // The sockets run in real time, so virtual time must not end their exchanges accidentally.
    timeoutMs: 1e9,
    random: () => 1,
    onReport: (report) => reports.push(report),
    ...options,
  })
  // Virtual time does not pass while modules load.
  await call.warm()
  return {
    clock,
    call,
    client: createClient(call),
    reports,
    seen: service.seen,
    [Symbol.asyncDispose]: async () => {
      await call[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}
