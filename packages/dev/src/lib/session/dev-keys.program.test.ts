import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import pc from 'picocolors'
import { expect, test, vi } from 'vitest'
import { readKeys } from './dev-keys.ts'
import { DevReport } from './dev-report.ts'

function keyboard(page?: string) {
  let output = ''
  const report = new DevReport({ colors: pc.createColors(false), print: (text) => (output += `${text}\n`) }, '/nowhere')
  report[Symbol.dispose]()
  const input = new PassThrough()
  const actions = { page, reload: vi.fn(async () => {}), clear: vi.fn(), quit: vi.fn() }
  const reader = readKeys(input, report, actions)
  return { type: (text: string) => input.write(text), actions, reader, output: () => output }
}

test('a key and Enter do what the help lists, and other lines do nothing', async () => {
  const { type, actions, output } = keyboard('http://127.0.0.1:1/')
  type('hello\nr\nC\n q \n\nh\n')
  await expect.poll(output).toContain('q + Enter  quit')
  for (const act of [actions.reload, actions.clear, actions.quit]) expect(act).toHaveBeenCalledTimes(1)
  expect(output()).toContain('o + Enter  open the chat in the browser')
})

test('without a local service there is no page to open', async () => {
  const { type, output } = keyboard()
  type('o\nh\n')
  await expect.poll(output).toContain('show this help')
  expect(output()).not.toContain('browser')
})

test.skipIf(process.platform === 'win32')('where no browser is installed, the address is printed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-browser-'))
  for (const name of ['open', 'xdg-open']) writeFileSync(join(folder, name), '#!/bin/sh\nexit 3\n', { mode: 0o755 })
  vi.stubEnv('PATH', folder)
  try {
    const { type, output } = keyboard('http://127.0.0.1:1/')
    type('o\n')
    await expect.poll(output).toMatch(/the browser cannot be opened \(.+ failed\): open http:\/\/127\.0\.0\.1:1\//)
  } finally {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('where no browser can be started, the address is printed', async () => {
  vi.stubEnv('PATH', '/nowhere')
  try {
    const { type, output } = keyboard('http://127.0.0.1:1/')
    type('o\n')
    await expect.poll(output).toMatch(/the browser cannot be opened \(.+ failed\): open http:\/\/127\.0\.0\.1:1\//)
  } finally {
    vi.unstubAllEnvs()
  }
})

test('a stopped reader reads nothing more', async () => {
  const { type, actions, reader, output } = keyboard()
  type('h\n')
  await expect.poll(output).toContain('quit')
  reader[Symbol.dispose]()
  type('q\n')
  await new Promise((resolve) => setImmediate(resolve))
  expect(actions.quit).not.toHaveBeenCalled()
})
