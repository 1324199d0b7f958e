import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const at = (path: string) => new URL(path, import.meta.url)
const rules = at('../docs/public/monitoring/alerts.yml')
const incidents = at('./alert-incidents.yml')
/** Part of Debian's package prometheus. */
const promtool = process.env['PROMTOOL'] ?? '/usr/bin/promtool'

if (!existsSync(promtool))
  console.warn(`SKIPPED: no alert is tried with Prometheus: install Debian's package prometheus, or set PROMTOOL`)

const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!)

test('each alert has a runbook, to which it links, and an incident that it fires for', async () => {
  const text = await readFile(rules, 'utf8')
  const alerts = namesIn(text, /^ +- alert: (\w+)$/gm)
  expect(alerts.length).toBeGreaterThan(10)
  const url = 'https://github.com/botwright/botwright/blob/main/packages/site/docs/alerts.md#'
  expect(namesIn(text, /^ +runbook_url: (\S+)$/gm)).toEqual(alerts.map((name) => url + name.toLowerCase()))
  expect(namesIn(await readFile(at('../docs/alerts.md'), 'utf8'), /^## (\w+)$/gm)).toEqual(alerts)
  const fires = await readFile(incidents, 'utf8')
  expect(namesIn(fires, /^ +alertname: (\w+)\n +exp_alerts:\n/gm)).toEqual(alerts)
  expect(namesIn(fires, /^ +alertname: (\w+)\n +exp_alerts: \[\]/gm), 'not before its time').toEqual(alerts)
})

// Skipped without promtool, with the warning above; in CI, a skipped test fails.
test.skipIf(!existsSync(promtool))('Prometheus fires each alert for its incident, with the right texts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'botwright-alerts-'))
  try {
    await copyFile(rules, join(folder, 'alerts.yml'))
    await copyFile(incidents, join(folder, 'incidents.yml'))
    const { stdout } = await promisify(execFile)(promtool, ['test', 'rules', 'incidents.yml'], { cwd: folder })
    expect(stdout).toContain('SUCCESS')
  } finally {
    await rm(folder, { recursive: true })
  }
})
