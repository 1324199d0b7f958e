import { VirtualClock } from '@botwright/clock'
import type { ArgPlace, ArgsShape } from './arg.ts'
import { argsReader } from './read-args.ts'

/** A message in a server on Thursday, 1 January 2026, 00:00 UTC. Calls to the service fail. */
export const place: ArgPlace = {
  server_id: '00000000-0000-0000-0000-000000000030',
  channel_id: '00000000-0000-0000-0000-000000000020',
  user: { id: '00000000-0000-0000-0000-000000000040', name: 'ann' },
  clock: new VirtualClock(),
  get api(): never {
    throw new Error('the service was asked')
  },
  get state(): never {
    throw new Error('the state was asked')
  },
  env: {},
}

/** Reads synchronously, as a command `/x` does. */
export const read = (shape: ArgsShape, typed: string, examples?: string[]): unknown =>
  argsReader(shape, examples)(typed, place, '/x')
