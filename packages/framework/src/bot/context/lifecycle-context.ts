import type * as author from '../../author/context.ts'
import { services } from '../services.ts'
import { BotContext, occasion } from './bot-context.ts'

/** The context of `events/ready.ts` and `events/shutdown.ts`. */
export class LifecycleContext extends BotContext implements author.LifecycleContext {
  protected override get [occasion](): string {
    return `lifecycle ${this[services].clock.now()}`
  }
}
