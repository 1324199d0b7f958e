import type { CommandTool } from '@botwright/framework'

export interface ModelMessage {
  role: 'user' | 'assistant' | 'tool'
  /** The name of the person, the bot or the tool. */
  name: string
  content: string
}

/** A part of what a model sends: text, or a request to call a tool with arguments in JSON. */
export type ModelPart = { type: 'text'; text: string } | { type: 'tool_call'; name: string; arguments: string }

export interface ModelRequest {
  messages: readonly ModelMessage[]
  tools: readonly Pick<CommandTool, 'name' | 'description' | 'parameters'>[]
}
