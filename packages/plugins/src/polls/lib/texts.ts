import type { Context } from '@botwright/framework'
import { type Say, textsFor } from '../../lib/texts.ts'
import polls from '../plugin.ts'

const texts = {
  en: {
    asked: 'asked by {author}',
    close: 'Close',
    closed: 'closed · {votes}',
    more: '+{count}',
    not_yours: 'Only the person who asked can close this poll.',
    over: 'This poll is closed.',
    same: 'You already voted for {choice}.',
    changed: 'You changed your vote to {choice}.',
    voted: 'You voted for {choice}.',
    vote: '{count} vote',
    votes: '{count} votes',
  },
  de: {
    asked: 'gefragt von {author}',
    close: 'Schließen',
    closed: 'beendet · {votes}',
    more: '+{count}',
    not_yours: 'Nur wer gefragt hat, kann diese Umfrage schließen.',
    over: 'Diese Umfrage ist beendet.',
    same: 'Du hast schon für {choice} gestimmt.',
    changed: 'Du stimmst jetzt für {choice}.',
    voted: 'Du hast für {choice} gestimmt.',
    vote: '{count} Stimme',
    votes: '{count} Stimmen',
  },
} as const

export type SayInPoll = Say<keyof (typeof texts)['en']>

/** The texts for the person of an event. */
export const forPerson = (ctx: Context): Promise<SayInPoll> =>
  textsFor(texts, ctx, { fallback: polls.options(ctx).language, user_id: ctx.user.id, ...server(ctx) })

/** The texts of the poll itself, which everyone in the channel sees. */
export const forEveryone = (ctx: Context): Promise<SayInPoll> =>
  textsFor(texts, ctx, { fallback: polls.options(ctx).language, ...server(ctx) })

const server = ({ server_id }: Context) => (server_id === null ? {} : { server_id })
