import type { ActionRow, Button, Embed } from '@botwright/protocol'

/** A row of buttons (§2: up to 5; a message takes 5 rows). */
export const row = (...components: Button[]): ActionRow => ({ type: 'row', components })

/** A button that opens an https link and tells the bot nothing (§2). */
export const link = (face: { label?: string; emoji?: string; url: string; disabled?: boolean }): Button => ({
  type: 'button',
  style: 'link',
  ...face,
})

/** A card of a message (§2, Embed), with its types. */
export const embed = (card: Embed): Embed => card
