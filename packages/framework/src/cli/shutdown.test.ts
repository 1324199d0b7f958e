import { afterEach, expect, test, vi } from 'vitest'
import { Shutdown } from './shutdown.ts'

afterEach(() => vi.restoreAllMocks())

const listening = () => (['SIGHUP', 'SIGBREAK'] as const).map((name) => process.listenerCount(name))

test.each(['SIGINT', 'SIGTERM'] as const)('%s starts a graceful shutdown', (name) => {
  using shutdown = new Shutdown()
  process.emit(name, name)
  expect([shutdown.signal.aborted, shutdown.by]).toEqual([true, name])
})

test.each(['SIGHUP', 'SIGBREAK'] as const)('%s, a closed window or Ctrl-Break, does so on Windows', (name) => {
  const before = listening()
  vi.spyOn(process, 'platform', 'get').mockReturnValue('win32')
  {
    using shutdown = new Shutdown()
    process.emit(name, name)
    expect([shutdown.signal.aborted, shutdown.by]).toEqual([true, name])
  }
  expect(listening()).toEqual(before)
})

test('elsewhere SIGHUP keeps its meaning: nohup ignores it', () => {
  const before = listening()
  using _shutdown = new Shutdown()
  expect(listening()).toEqual(before)
})
