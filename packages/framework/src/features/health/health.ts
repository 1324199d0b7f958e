import type { Clock } from '@botwright/clock'
import { createRedactor, hiddenValues, hideFromNow } from '../../link/redaction.ts'
import type { Cleanup } from '../../runtime/instance/cleanup.ts'
import type { Observer } from '../../runtime/ports/observer.ts'
import type { StartBotOptions } from '../../runtime/ports/running-bot.ts'
import type { ControlRoom } from './control/control-room.ts'
import { HealthWatch } from './health-facts.ts'
import { openHealth, type Routes } from './open-health.ts'

/** The health endpoint of a bot, with a control room if there is a token for it. Rejects if its port cannot be opened. */
export async function healthOf(options: StartBotOptions, clock: Clock, cleanup: Cleanup): Promise<Observer> {
  const { config, cluster, log } = options
  const watch = new HealthWatch(config, clock)
  const extraMetrics = cluster && (await import('./cluster-metrics.ts')).clusterMetrics
  const { control, routes } = (await openControl(options, { clock, watch, cleanup })) ?? {}
  const server = await openHealth({
    ...config.health!,
    facts: watch.facts,
    refresh: () => watch.bot?.refresh(),
    log,
    control: routes,
    ...(extraMetrics && { extraMetrics }),
  })
  cleanup.add(() => server.close())
  return {
    opened: (clockOfStores) => void (watch.clock = clockOfStores),
    began(bot) {
      watch.bot = bot
      control?.attach(bot)
    },
    ready: () => void (watch.state = 'running'),
    received: server.received,
    outcome(outcome) {
      server.outcome(outcome)
      control?.outcome(outcome)
    },
    refused: (end) => control?.showEnd(end),
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
  { config, controlToken, io = process, log, token, version = 'unknown', webhookSecrets = [] }: StartBotOptions,
  { clock, watch, cleanup }: { clock: Clock; watch: HealthWatch; cleanup: Cleanup },
): Promise<{ control: ControlRoom; routes: Routes } | undefined> {
  if (controlToken === undefined) return undefined
  hideFromNow(controlToken)
  const [{ ControlRoom }, { controlRoutes }] = await Promise.all([
    import('./control/control-room.ts'),
    import('./control/control-routes.ts'),
  ])
  const clean = createRedactor([token, controlToken, ...webhookSecrets, ...hiddenValues(config.hiddenEnv, io.env)])
  const control = new ControlRoom({ config, version, clock, log, watch, clean })
  cleanup.add(() => control[Symbol.dispose]())
  return { control, routes: controlRoutes(control, { token: controlToken, clock, log }) }
}
