declare module '*/dist/bot.mjs' {
  import type { FunctionBot } from '@botwright/framework/functions'
  const bot: FunctionBot
  export default bot
}
