import type { Definition, Outcome } from '@botwright/framework'
import type { ProgramIo, RunningBot, StartBotOptions } from '@botwright/framework/start'
import type { LocalService } from '../local-service/local-service.ts'
import { answerReplays } from './answer-replays.ts'
import type { DevReport, OnProblems } from './dev-report.ts'
import { ClockFollower } from './follow-clock.ts'
import { commandPublisher } from './publish-commands.ts'
import { problemPublisher } from './publish-problems.ts'
import { TimelinePublisher } from './publish-timelines.ts'

/** The connection of `framework dev` with its local service, for the page and for `framework clock`: not as a bot. */
export interface ServiceConnection extends AsyncDisposable {
  /** The bot runs with these. */
  options: Pick<StartBotOptions, 'clock' | 'traffic'>
  /** An event has arrived, or one of its handlers has ended. */
  note(outcome?: Outcome): void
  /** The code of the bot runs, after a start or a reload. */
  running(definitions: readonly Definition[]): void
  problems: OnProblems
}

/** Connects a session with its local service. */
export function connectService(
  service: LocalService,
  session: { root: string; io: ProgramIo; report: DevReport; bot: () => RunningBot | undefined },
): ServiceConnection {
  const { root, io, report, bot } = session
  const timelines = new TimelinePublisher({ root, service, report, env: io.env })
  const replays = answerReplays(service, { io: { ...io, cwd: root }, report })
  const follower = new ClockFollower(service, bot)
  return {
    options: { clock: follower.clock, traffic: follower.traffic },
    note(outcome) {
      timelines.note()
      if (outcome) follower.observe(outcome)
    },
    running: commandPublisher(service, report),
    problems: problemPublisher(service, { root, report, env: io.env }),
    async [Symbol.asyncDispose]() {
      await timelines[Symbol.asyncDispose]()
      await replays[Symbol.asyncDispose]()
      await follower[Symbol.asyncDispose]()
    },
  }
}
