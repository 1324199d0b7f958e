import type { Conversation, ConversationOptions, Step } from './conversation-types.ts'
import { inOrder, withIncreasingTimes } from './recorded.ts'
import { nothingTaken, type StepWithData, takeCall, takeEvent } from './take-entries.ts'

/** Combines a bot's events in a channel with the calls that it made in response. A pure function. */
export function conversationOf(options: ConversationOptions): Conversation {
  const { channel, channelId, from } = options
  const channels: Conversation['channels'] = options.channels ?? new Map()
  const taken = nothingTaken(options)
  for (const next of inOrder(withIncreasingTimes(options.events), options.calls)) {
    if ('type' in next) takeEvent(taken, next)
    else takeCall(taken, next)
  }
  const server = channels.get(channelId)?.server
  return {
    channel,
    ...(server !== undefined && { server }),
    names: taken.names,
    channels,
    steps: stepsFrom(taken.steps, from),
  }
}

function stepsFrom(steps: readonly StepWithData[], from: ConversationOptions['from']): Step[] {
  const first =
    from === undefined
      ? 0
      : steps.findIndex(({ data, atMs }) => ('messageId' in from ? data['id'] === from.messageId : atMs >= from.atMs))
  const kept = first < 0 ? [] : steps.slice(first)
  return kept.map(({ data: _data, on, newest, ...step }) => {
    // Answers from before the start of the conversation do not exist in the test.
    const there = typeof on === 'number' && on >= first ? on - first : undefined
    if (on === undefined || newest >= first) return step
    return { ...step, on: there ?? 'unknown' }
  })
}
