import { readFile } from 'node:fs/promises'
import { expect, expectTypeOf, test } from 'vitest'
import type { EndpointName as NameInTable } from './endpoints.ts'
import type * as schemas from './openapi/schema-types.ts'
import type { Calls, EndpointName, EventsData, Input, Message, MessageCreate, Output } from './shapes.ts'

const compiles = { tags: 'all/generators' }

test('the generated shapes are up to date: npm run shapes -w packages/protocol', compiles, async () => {
  const script = new URL('../../scripts/write-shapes.mjs', import.meta.url)
  const { generated, shapesText } = (await import(script.href)) as { generated: string; shapesText(): Promise<string> }
  expect(await readFile(generated, 'utf8')).toBe(await shapesText())
})

test('shapes and schemas are assignable to each other', () => {
  expectTypeOf<Message>().toEqualTypeOf<schemas.Message>()
  expectTypeOf<MessageCreate>().toEqualTypeOf<schemas.MessageCreate>()
  expectTypeOf<EventsData>().toEqualTypeOf<schemas.EventsData>()
  const asInTable = (calls: Calls): schemas.Calls => calls
  const asWritten = (calls: schemas.Calls): Calls => calls
  expectTypeOf<EndpointName>().toEqualTypeOf<NameInTable>()
  expectTypeOf<Input<'messages.pin'>>().toEqualTypeOf<{ channel_id: string; message_id: string }>()
  expectTypeOf<Output<'messages.create'>>().toEqualTypeOf<Message>()
  expect([asInTable, asWritten]).toHaveLength(2)
})
