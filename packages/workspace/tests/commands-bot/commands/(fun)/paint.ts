import { arg, command, integer, misfit, value } from '@botwright/framework'
import { z } from 'zod'

const color = arg({
  expects: 'a color such as #ff0000',
  example: '#00ff00',
  read: (typed) => {
    if (!/^#[0-9a-f]{6}$/i.test(typed)) throw misfit()
    return Number.parseInt(typed.slice(1), 16)
  },
  write: (color) => `#${color.toString(16).padStart(6, '0')}`,
})

export default command({
  description: 'Paints a square',
  args: {
    color: color.default(0xff0000),
    size: integer({ min: 1, max: 9 }).default(3),
    mail: value(z.email(), { expects: 'a mail address', example: 'ann@example.com' }).optional().flag(),
  },
  run: ({ args }) => JSON.stringify(args),
})
