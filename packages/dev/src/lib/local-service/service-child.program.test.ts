import { ChildProcess } from 'node:child_process'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startServiceChild } from './service-child.ts'

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
