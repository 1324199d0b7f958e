export { createFunctionBot } from './features/functions/create-function-bot.ts'
export type { BundledBot, FunctionBot, FunctionContext, FunctionEnv } from './features/functions/bundled-bot.ts'
export { lambdaHandler } from './features/functions/lambda-handler.ts'
export { nodeHandler, type NodeHandler } from './features/functions/node-handler.ts'
