import { endpoints, explain, limits, MessageCreate } from '@botwright/protocol'
import { expect, it } from 'vitest'

it('contains the interface as data', () => {
  const { method, path, permission } = endpoints.moderation.timeout
  expect(`${method} ${path}, needs ${permission}`).toBe('POST /servers/{server_id}/timeouts, needs timeout_members')
  const long = MessageCreate.safeParse({ content: 'x'.repeat(limits.message_content.characters + 1) })
  expect(explain(long.error!)).toMatch(/^content: /)
})
