import type { ReadArgs } from '../author/args/read-args.ts'
import type { Defined } from '../author/definition.ts'
import type { Definition } from '../author/entries.ts'
import type { Run } from './compile-handler.ts'
import type { BotServices } from './services.ts'

/** One file that handles events: loaded already, or when its first event arrives. */
export interface Handler {
  readonly entry: Definition
  /** Of a plugin's handler: what its contexts share. */
  readonly around?: BotServices
  defined?: Defined
  /** Reads what was typed behind the command; set with `run`, where the file asks for args. */
  readArgs?: ReadArgs
  /** Set once the file and the middleware around it are loaded. */
  run?: Run
}
