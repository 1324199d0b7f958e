import { ChildProcess } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startOnFreePort, startServiceChild } from './service-child.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const start = () => startServiceChild(['--port', '0', '--memory'])

test('stop closes the service', async () => {
  const service = await start()
  await service.stop()
  expect(await service.ended).toEqual({ asked: true, code: 0, signal: null })
})

describe('on a system where every signal kills at once, such as Windows', () => {
  test('stop closes the service', async () => {
    const { kill } = ChildProcess.prototype
    vi.spyOn(ChildProcess.prototype, 'kill').mockImplementation(function (this: ChildProcess) {
      return kill.call(this, 'SIGKILL')
    })
    vi.stubEnv('NODE_OPTIONS', '--import=data:text/javascript,process.kill=()=>process.reallyExit(1)')
    const service = await start()
    await service.stop()
    expect(await service.ended).toEqual({ asked: true, code: 0, signal: null })
  })
})

test('services that start at the same time use different ports', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port: first } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const started = await Promise.all(
    [1, 2, 3].map(() => startOnFreePort(first, (port) => startServiceChild(['--port', String(port), '--memory']))),
  )
  try {
    expect(new Set(started.map(({ port }) => port)).size).toBe(3)
    for (const { child, port } of started) expect(child.baseUrl).toBe(`http://127.0.0.1:${port}/v1`)
  } finally {
    await Promise.all(started.map(({ child }) => child.stop()))
  }
})
