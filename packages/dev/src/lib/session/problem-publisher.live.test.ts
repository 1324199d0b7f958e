import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { startService } from '@botwright/service'
import { defaultWorld } from '@botwright/service/default-world'
import { expect, test } from 'vitest'
import { startPerson } from '../test-person.fixture.ts'
import { problemPublisher } from './publish-problems.ts'

test('after a call that is cut off, the next code that loads removes the problems from the page', async () => {
  const token = 'token-of-the-bot-in-development'
  await using service = await startService({ port: 0, world: defaultWorld('bot', token) })
  const ann = await startPerson(service.url, 'ann')
  let calls = 0
  const relay = createServer((request, response) => {
    if (++calls === 2) return void response.destroy()
    const { method = '', url = '', headers } = request
    const { authorization = '', 'content-type': type = '' } = headers
    const pass = async () => {
      const body = await text(request)
      const { status } = await fetch(service.url + url, {
        method,
        body,
        headers: { authorization, 'content-type': type },
      })
      response.writeHead(status).end()
    }
    void pass()
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
  const warnings: string[] = []
  const report = { warning: (warning: string) => void warnings.push(warning) }
  const publish = problemPublisher({ baseUrl, token }, { root: import.meta.dirname, report, env: {} })
  const shown = async () => (await ann.api.inspector.timelines()).problems.flatMap(({ problems }) => problems)
  publish([], 'new')
  publish([{ text: 'wrong' }], 'none')
  await expect.poll(shown).toMatchObject([{ message: 'wrong' }])
  publish([], 'new')
  await expect
    .poll(() => warnings)
    .toMatchObject([expect.stringMatching(/^the page cannot show the problems of the code/)])
  publish([], 'new')
  await expect.poll(shown).toEqual([])
  publish([], 'new')
  publish([{ text: 'wrong' }], 'none')
  await expect.poll(shown).toMatchObject([{ message: 'wrong' }])
  expect(calls).toBe(4)
  relay.close()
})
