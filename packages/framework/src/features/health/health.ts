import type { Clock } from '@botwright/clock'
import type { HttpAnswer } from '@botwright/events'
import { createRedactor, hiddenValues, hideFromNow } from '../../link/redaction.ts'
import type { Cleanup } from '../../runtime/instance/cleanup.ts'
import type { Observer } from '../../runtime/ports/observer.ts'
import type { StartBotOptions } from '../../runtime/ports/running-bot.ts'
import { BotProblems } from '../problems/bot-problems.ts'
import type { ControlRoom, ControlRoomOptions } from './control/control-room.ts'
import { HealthWatch } from '../problems/health-facts.ts'
import { openHealth } from './open-health.ts'

/** The health endpoint of a bot, with a control room if there is a token for it. Rejects if its port cannot be opened. */
export async function healthOf(options: StartBotOptions, clock: Clock, cleanup: Cleanup): Promise<Observer> {
  const { config, cluster, controlToken, io = process, log, token, webhookSecrets = [] } = options
  if (controlToken !== undefined) hideFromNow(controlToken)
  const watch = new HealthWatch(config, clock)
  const clean = createRedactor([token, controlToken, ...webhookSecrets, ...hiddenValues(config.hiddenEnv, io.env)])
  const problems = new BotProblems({
    clock,
    log,
    watch,
    env: config.env,
    clean,
    countsCalls: controlToken !== undefined,
  })
  cleanup.add(() => problems[Symbol.dispose]())
  const extraMetrics = cluster && (await import('./cluster-metrics.ts')).clusterMetrics
  const { control, routes } = (await openControl(options, { clock, watch, problems, clean })) ?? {}
  const server = await openHealth({
    ...config.health!,
    facts: watch.facts,
    problems,
    refresh: () => problems.refresh(),
    log,
    control: routes,
    mount: options.mountHealth,
    tasks: () => problems.tasks().catch(() => []),
    ...(extraMetrics && { extraMetrics }),
  })
  cleanup.add(() => server.close())
  return {
    unanswered: (reason) => void (watch.unanswered = reason),
    opened: (clockOfStores) => void (watch.clock = clockOfStores),
    began(bot) {
      watch.bot = bot
      problems.began(bot)
      control?.attach(bot)
      server.expect(bot.definitions())
    },
    ready() {
      watch.state = 'running'
      problems.ready()
    },
    received(delivery) {
      server.received(delivery)
      problems.received(delivery)
    },
    started: (delivery) => problems.started(delivery),
    // This turns on the recording in the bot's thread, which costs time for each event.
    ...(control && { called: (call) => problems.called(call) }),
    outcome(outcome) {
      server.outcome(outcome)
      problems.outcome(outcome)
    },
    refused: (end) => void (watch.end = end),
    stopping: () => void (watch.state = 'stopping'),
    hurried: () => control?.leave(),
    async ended({ reason }) {
      if (reason === 'unauthorized') await control?.linger()
      // Its counts come from resources that are about to close.
      watch.bot = undefined
    },
  }
}

/** Only a bot with a token for it loads the control room. */
async function openControl(
  { config, controlToken, log, version = 'unknown' }: StartBotOptions,
  given: Pick<ControlRoomOptions, 'clock' | 'watch' | 'problems' | 'clean'>,
): Promise<{ control: ControlRoom; routes: HttpAnswer } | undefined> {
  if (controlToken === undefined) return undefined
  const [{ ControlRoom }, { controlRoutes }] = await Promise.all([
    import('./control/control-room.ts'),
    import('./control/control-routes.ts'),
  ])
  const control = new ControlRoom({ ...given, config, version, log })
  return { control, routes: controlRoutes(control, { token: controlToken, clock: given.clock, log }) }
}
