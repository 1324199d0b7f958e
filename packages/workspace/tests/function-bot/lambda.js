import { lambdaHandler } from '@botwright/framework/functions'
import bot from './dist/bot.mjs'

export const handler = lambdaHandler(bot)
