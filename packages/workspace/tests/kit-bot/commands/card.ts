import { command, embed } from '@botwright/framework'

export default command({
  description: 'Shows a card',
  run: () => ({
    embeds: [embed({ title: 'Score', fields: [{ name: 'ann', value: '3' }], footer: { text: 'round 1' } })],
  }),
})
