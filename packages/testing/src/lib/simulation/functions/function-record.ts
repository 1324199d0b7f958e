import type { SimRequest } from '../sim-network.ts'
import type { FunctionIncident } from './function-plan.ts'

/** One invocation of the functions. */
export interface SimInvocation {
  number: number
  kind: 'event' | 'request' | 'scheduled'
  instance: number
  startedAtMs: number
  endedAtMs?: number
  how?: 'ended' | 'failed' | 'killed'
}

/** A line of the log. */
export interface FunctionLine {
  atMs: number
  /** The invocation that has logged it; undefined if that is not known. */
  invocation: SimInvocation | undefined
  level: string
  msg: string
  text: string
  facts: Readonly<Record<string, unknown>>
}

/** An event of the service. */
export interface PostedEvent {
  id: number
  type: string
  data: Readonly<Record<string, unknown>>
  atMs: number
  /** Its arrivals at the bot. */
  arrivals: { atMs: number; invocation: number; status?: number }[]
}

/** A request to a route. */
export interface RouteRequest {
  order: number
  atMs: number
  status?: number
  answeredAtMs?: number
}

/** Everything that happened in a run of functions, for the rules. */
export class FunctionRecord {
  readonly lines: FunctionLine[] = []
  readonly requests: (SimRequest & { answeredAtMs: number })[] = []
  readonly invocations: SimInvocation[] = []
  readonly events: PostedEvent[] = []
  readonly forged: { atMs: number; status: number }[] = []
  readonly routed: RouteRequest[] = []
  readonly incidents: { incident: FunctionIncident; fromMs: number; toMs: number }[] = []
  /** When instances ended while they ran an invocation. */
  readonly kills: number[] = []

  /** Whether no fault could have an effect in this time. */
  isCalm(fromMs: number, toMs: number, harmless: readonly FunctionIncident['kind'][] = []): boolean {
    const meets = (one: { fromMs: number; toMs: number }) => one.fromMs <= toMs && one.toMs >= fromMs
    return (
      !this.kills.some((atMs) => meets({ fromMs: atMs, toMs: atMs })) &&
      !this.incidents.some((one) => !harmless.includes(one.incident.kind) && meets(one))
    )
  }

  happened(...kinds: FunctionIncident['kind'][]): boolean {
    return this.incidents.some(({ incident }) => kinds.includes(incident.kind))
  }

  /** When the ids of events started again. */
  get resets(): number[] {
    return this.incidents.filter(({ incident }) => incident.kind === 'renumber').map(({ fromMs }) => fromMs)
  }

  /** The lines of runs of handlers: `begins` or `ends`. */
  runs(msg: 'begins' | 'ends'): FunctionLine[] {
    return this.lines.filter((line) => line.msg === msg)
  }
}
