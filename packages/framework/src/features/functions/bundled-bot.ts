import type { Definition, Manifest } from '../../author/files/entries.ts'

/** A bot whose code is one module, as `framework build --target fetch` writes it. */
export interface BundledBot {
  manifest: Manifest
  definitions: readonly Definition[]
  /** Identifies the code. */
  codeId: string
  /** How often the platform calls `scheduled`, in milliseconds. */
  everyMs: number
  /** Imports the module of each file. */
  files: Readonly<Record<string, () => Promise<unknown>>>
  /** Imports `bot.config.ts`, if the bot has one. */
  config?: () => Promise<unknown>
}

/** The part of the platform's context that a bot uses. Without `waitUntil`, a response waits for the work of its request. */
export interface FunctionContext {
  waitUntil?(work: Promise<unknown>): void
}

/** The variables of a function. Only texts are variables of the bot. */
export type FunctionEnv = Readonly<Record<string, unknown>>

/** A bot between whose requests no process runs. */
export interface FunctionBot {
  /** Receives event webhooks, and requests to the files in `routes/`. */
  fetch(request: Request, env?: FunctionEnv, ctx?: FunctionContext): Promise<Response>
  /** Runs missed events, due tasks and stored requests. Call it on a schedule. */
  scheduled(event?: unknown, env?: FunctionEnv, ctx?: FunctionContext): Promise<void>
}
