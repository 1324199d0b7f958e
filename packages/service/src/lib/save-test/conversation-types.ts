import type { BotCall, BotEvent } from '../people-api/resources.ts'

/** A reaction of the bot to a step. */
export interface BotAction {
  kind: 'reply' | 'update' | 'ephemeral' | 'react'
  content: string
  embeds: readonly Record<string, unknown>[]
  /** The labels of its buttons. */
  buttons: readonly string[]
  emoji: string
  /** The name of the channel, if it is not that of the conversation. */
  channel?: string
}

/** One action of a person, with the bot's reactions to it. */
export interface Step {
  kind: 'message' | 'click' | 'react' | 'unreact' | 'join' | 'leave'
  atMs: number
  username: string
  /** The text of a message, the label of a button, or an emoji. */
  what: string
  /** The step whose answer is clicked, reacted or replied to, if it is not the newest; `unknown` if no step matches. */
  on?: number | 'unknown'
  actions: BotAction[]
}

/** A conversation between people and one bot in a channel. */
export interface Conversation {
  /** The channel's name; null for direct messages with the bot. */
  channel: string | null
  /** The name of the channel's server, at its own service. */
  server?: string
  steps: readonly Step[]
  /** The names of people whose ids occur in texts. */
  names: ReadonlyMap<string, string>
  /** Channels whose ids occur in texts, by id. */
  channels: ReadonlyMap<string, ChannelName>
}

/** The names of a channel and its server in a test's world. */
export interface ChannelName {
  server: string
  name: string
}

/** The input of `conversationOf`. */
export interface ConversationOptions {
  events: readonly BotEvent[]
  calls: readonly BotCall[]
  channelId: string
  channel: string | null
  serverId: string | null
  /** Other known messages of the channel, for the labels of older buttons. */
  messages?: readonly { id: string; components?: unknown }[]
  /** The names of people that texts may mention, by id. */
  people?: ReadonlyMap<string, string>
  /** The ids of bots: the steps are those of people. */
  bots?: readonly string[]
  /** Channels that texts may mention, by id. */
  channels?: ReadonlyMap<string, ChannelName>
  /** Starts with this message, or at this time. */
  from?: { messageId: string } | { atMs: number }
}
