import { effect } from '@preact/signals'
import type { Message } from '@botwright/protocol'
import { afterEach, expect, it } from 'vitest'
import { beginEdit, changeDraft, changeEdit, draftOf, drafts, editedIds, editToFocus, markGone } from './drafts.ts'
import { messages, person, place } from './store.ts'

const message = (id: string, rest: Partial<Message> = {}) =>
  ({ id, channel_id: 'general', author_id: 'ann', author: 'ann', content: id, created_at: '', ...rest }) as Message

afterEach(() => {
  drafts.value = {}
  messages.value = {}
  person.value = undefined
  place.value = { serverId: undefined, channelId: undefined }
})

it('marks replies to a deleted message, also those that are being sent and those that were not sent', () => {
  const replyTo = message('question')
  const reply = (id: string) => ({ id, text: 'an answer', replyTo })
  const other = { id: '3', text: 'no reply' }
  changeDraft('general', { replyTo, sending: [reply('1'), other], unsent: [reply('2')] })
  markGone(({ id }) => id === 'question')
  const { isReplyGone, sending, unsent } = draftOf('general')
  expect([isReplyGone, ...[...sending, ...unsent].map((each) => each.isReplyGone)]).toEqual([
    true,
    true,
    undefined,
    true,
  ])
})

it('does not change the list of edited messages while the person types in one', () => {
  place.value = { serverId: undefined, channelId: 'general' }
  const seen: string[][] = []
  const stop = effect(() => void seen.push(editedIds.value))
  beginEdit(message('one'), 'o')
  changeEdit(message('one'), { text: 'on' })
  changeEdit(message('one'), { text: 'one' })
  stop()
  expect(seen).toEqual([[''], ['one']])
})

it('focuses an edit that is open already, but not one that is being saved', () => {
  const one = message('one')
  beginEdit(one, 'o')
  editToFocus.value = undefined
  beginEdit(one, 'o')
  expect(editToFocus.value).toBe('one')
  editToFocus.value = undefined
  changeEdit(one, { isSaving: true })
  beginEdit(one, 'o')
  expect(editToFocus.value).toBeUndefined()
})

it('drops a message without a response once it is loaded, but no other one with the same text', () => {
  person.value = { id: 'ann' } as typeof person.value
  const lost = { text: 'yes', content: 'yes', sentAfter: '2030-01-01T10:00:00.000Z' }
  changeDraft('general', {
    unsent: [
      { id: 'lost', ...lost },
      { id: 'refused', text: 'yes' },
    ],
  })
  const ids = () => draftOf('general').unsent.map(({ id }) => id)
  const yes = (id: string, time: string, author_id = 'ann') =>
    message(id, { content: 'yes', author_id, created_at: `2030-01-01T${time}.000Z` })
  messages.value = { general: [yes('1', '09:00:00'), yes('2', '10:00:00'), yes('3', '10:00:01', 'bob')] }
  expect(ids()).toEqual(['lost', 'refused'])
  messages.value = { general: [...messages.value['general']!, yes('4', '10:00:02')] }
  expect(ids()).toEqual(['refused'])
})
