import type { Context } from './context.ts'
import type { Definition } from './files/entries.ts'

/** A JSON Schema, as language models take it for the input of a tool. */
export interface ToolSchema {
  type: 'object'
  properties: Record<string, Record<string, unknown>>
  required: string[]
  additionalProperties: false
}

/** A command of the bot that a language model can call. */
export interface CommandTool {
  /** The words of the command, joined by `_`: `role_add`. */
  name: string
  /** The description of the command, with the conditions of its guards. */
  description: string
  /** The arguments of the command. */
  parameters: ToolSchema
  /**
   * Runs the command as the user of the event, with its middleware, guards and cooldowns, and posts its replies as usual. `input` is an object,
   * or its JSON. Rejects with the error of the command's own code.
   */
  call(input: unknown): Promise<ToolResult>
}

/** The result of a call, for the model. */
export interface ToolResult {
  /** False if a guard or the arguments refused it: then the command did not run. */
  ok: boolean
  /** The texts of its replies, or the reason of the refusal. */
  text: string
}

/** The options of `commandTools`. */
export interface CommandToolsOptions {
  /** The words of the commands that the model can call: `['score', 'role add']`. Default: all that `/help` lists. */
  only?: readonly string[]
}

/** Runs a command for a model, as the user of the asking handler. `call`: the same when this call is repeated. */
export type RunCommand = (asker: Context, definition: Definition, typed: string, call?: string) => Promise<ToolResult>
