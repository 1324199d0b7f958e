import { command, date, integer, serverOnly, text } from '@botwright/framework'
import { addMeeting } from '../../lib/meetings.ts'

export default command({
  description: 'Adds an event',
  args: {
    title: text({ max: 80 }).describe('The title, in quotation marks if it has several words'),
    start: date({ when: 'future', zone: (ctx) => String(ctx.env.ZONE) }).describe('When it begins'),
    seats: integer({ min: 1, max: 25 }).default(10).flag().describe('How many people can come'),
  },
  examples: ['"Board games" friday 18:00 --seats 4'],
  guards: [serverOnly()],
  run: (ctx) => addMeeting(ctx, { server_id: ctx.server_id, channel_id: ctx.channel_id, ...ctx.args }),
})
