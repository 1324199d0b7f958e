import { command } from '@botwright/framework'

export default command({
  description: 'Shows a button without a file',
  run: (ctx) =>
    ctx.reply({
      content: 'Press it',
      components: [
        {
          type: 'row',
          components: [{ type: 'button', style: 'primary', label: 'Press', custom_id: 'by-hand:7' }],
        },
      ],
    }),
})
