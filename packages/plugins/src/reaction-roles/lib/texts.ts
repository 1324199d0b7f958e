import type { Context } from '@botwright/framework'
import { textsFor } from '../../lib/texts.ts'
import reactionRoles from '../plugin.ts'

const texts = {
  en: {
    which: 'There is no message "{name}". Choose one: {names}.',
    no_role: 'This server has no role "{role}". Create it, or change the options of the bot.',
    several: 'This server has several roles "{role}". Rename all but one.',
  },
  de: {
    which: 'Es gibt keine Nachricht „{name}“. Wähle eine: {names}.',
    no_role: 'Auf diesem Server gibt es keine Rolle „{role}“. Lege sie an, oder ändere die Optionen des Bots.',
    several: 'Auf diesem Server gibt es mehrere Rollen „{role}“. Benenne alle bis auf eine um.',
  },
} as const

/** The texts for the person of an event. */
export const forPerson = (ctx: Context) =>
  textsFor(texts, ctx, {
    fallback: reactionRoles.options(ctx).language,
    user_id: ctx.user.id,
    ...(ctx.server_id !== null && { server_id: ctx.server_id }),
  })
