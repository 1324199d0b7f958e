import type { RunningBot } from '@botwright/framework/start'
import type { OpenService } from '@botwright/service'
import type { SimPeople } from './people.ts'
import type { Supervisor } from './supervisor.ts'
import type { SimHost, SimProcess } from './sim-host.ts'
import type { PostFate } from './sim-webhook.ts'
import type { Plan } from './plan.ts'
import type { SimRecord } from './record.ts'
import type { SimDisk } from './sim-disk.ts'
import type { SimWorld } from './sim-world.ts'

/** Everything that a rule can look at. */
export interface SimFacts {
  readonly world: SimWorld
  readonly service: OpenService
  readonly people: SimPeople
  readonly botId: string
  /** The token of the bot, and the secret of its event webhook. */
  readonly secrets: readonly string[]
  readonly disk: SimDisk
  readonly plan: Plan
  readonly record: SimRecord
  /** The files of durable handlers. */
  readonly durable: ReadonlySet<string>
  /** The files of other handlers that wait for answers. */
  readonly waits: ReadonlySet<string>
  /** The bot at the end, when it is idle. */
  readonly running?: RunningBot | undefined
  readonly process?: SimProcess
}

/** The scope of an actor of a bot: a program that sends requests to its routes, or an operator. */
export interface ActorStage extends SimFacts {
  readonly host: SimHost
  readonly supervisor: Supervisor
  /** Draws the fate of a request to the bot from the incidents of the moment. */
  readonly fateOf: () => PostFate
}

/** Does something. `value` selects what exactly. */
export type SimActor = (value: number, stage: ActorStage) => void
