import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { clusterMetrics } from './cluster-metrics.ts'
import type { HealthFacts } from '../problems/health-facts.ts'
import type { TaskView } from '../problems/tasks.ts'
import { BotMetrics } from './metrics.ts'

const facts = {
  state: 'running',
  bot: { stats: {}, journal: {}, rest: {}, runs: { counts: {}, countWaiting: () => 0 } },
} as unknown as HealthFacts
const daily = (state: NonNullable<TaskView['last']>['state']) =>
  ({
    ...{ file: 'tasks/daily.ts', next_at: '2030-01-02T00:00:00Z' },
    last: { at: '2030-01-01T00:00:00Z', state },
  }) as TaskView
const read = (name: string) =>
  readFileSync(new URL(`../../../../site/docs/public/monitoring/${name}`, import.meta.url), 'utf8')

/** The names of the time series, and the labels of each. */
async function series(): Promise<Set<string>> {
  using metrics = new BotMetrics(() => facts, clusterMetrics, {
    tasks: async () => [daily('done')],
    problems: () => [{ code: 'access_lost' }],
  })
  metrics.received('message')
  metrics.observe({ eventId: 1, type: 'message', file: 'commands/ping.ts', ms: 1, result: 'ok' })
  metrics.observe({ eventId: -1, type: 'task', file: 'tasks/daily.ts', ms: 1, result: 'ok' })
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Set(
    lines.flatMap((line) => {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line)!
      return [name, ...[...labels.matchAll(/(\w+)="/g)].map(([, label]) => `${name} ${label}`)]
    }),
  )
}

test.each(['grafana-dashboard.json', 'alerts.yml'])('%s uses only metrics and labels that exist', async (name) => {
  const known = await series()
  const text = read(name).replaceAll('\\"', '"')
  const used = [...text.matchAll(/\b((?:botwright|process)_\w+)(?:\{([^}]*)\})?/g)]
  expect(used.length).toBeGreaterThan(10)
  const added = new Set(['job', 'instance'])
  const wanted = used.flatMap(([, metric = '', labels = '']) => [
    metric,
    ...[...labels.matchAll(/(\w+)=/g)].flatMap(([, label]) => (added.has(label!) ? [] : [`${metric} ${label}`])),
  ])
  expect([...new Set(wanted)].filter((one) => !known.has(one))).toEqual([])
})

test('the labels that the queries group by exist', async () => {
  const known = [...(await series())].map((one) => one.split(' ')[1])
  for (const name of ['grafana-dashboard.json', 'alerts.yml'])
    for (const [, labels = ''] of read(name).matchAll(/\bby \(([^)]*)\)/g))
      for (const label of labels.split(/, */)) expect([...known, 'job', 'instance'], name).toContain(label)
})

test('the failures of a file begin with 0, so that the first one is an increase', async () => {
  using metrics = new BotMetrics(() => facts)
  metrics.expect([{ kind: 'command', name: 'ping', file: 'commands/ping.ts' }])
  const text = await metrics.text()
  for (const result of ['ok', 'error', 'timed_out', 'crashed', 'dead_lettered'])
    expect(text).toContain(
      `botwright_events_handled_total{type="message",file="commands/ping.ts",result="${result}"} 0`,
    )
})

test('a task has failed by the store, which another instance may have written', async () => {
  let views = [daily('failed')]
  using metrics = new BotMetrics(() => facts, {}, { tasks: async () => views })
  metrics.observe({ eventId: -1, type: 'task', file: 'tasks/daily.ts', ms: 1, result: 'error' })
  expect(await metrics.text()).toContain('botwright_task_failed{file="tasks/daily.ts"} 1')
  views = [daily('done')]
  expect(await metrics.text()).toContain('botwright_task_failed{file="tasks/daily.ts"} 0')
})

test('counts further files as other after 200, to limit the labels', async () => {
  using metrics = new BotMetrics(() => facts)
  for (let n = 0; n < 500; n++)
    metrics.observe({ eventId: n, type: 'message', file: `commands/c${n}.ts`, ms: 1, result: 'ok' })
  const text = await metrics.text()
  expect(text.match(/^botwright_events_handled_total\{/gm)).toHaveLength(201)
  expect(text).toContain('botwright_events_handled_total{type="message",file="other",result="ok"} 300')
})
