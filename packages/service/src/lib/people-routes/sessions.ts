import { requireCapacity } from '../rules/bounds.ts'
import { checkNewName } from '../rules/content-rules.ts'
import type { UserRow } from '../db/rows.ts'
import type { Handlers } from '../http/handlers.ts'
import type { PeopleEndpoints } from '../people-api/endpoints/index.ts'
import { Refusal } from '../refusal.ts'
import { authorView, findUserByName, insertUser, openSession, personView } from '../store/users.ts'

/** Load tests create many people; the sign-in screen shows only the first ones. */
const NAMES_SHOWN = 24

/** People sign in by name, without passwords, so existing names are visible before sign-in. */
export const sessions: Handlers<PeopleEndpoints>['sessions'] = {
  list: ({ chat }) => ({
    people: chat.sql
      .all<UserRow>('SELECT * FROM users WHERE bot = 0 AND banned = 0 ORDER BY created_at, rowid LIMIT ?', NAMES_SHOWN)
      .map(authorView),
  }),
  create({ chat, body }) {
    const found = findUserByName(chat, body.username)
    if (!found) {
      checkNewName(chat, body.username)
      requireCapacity(chat, 'people')
    }
    const person = found ?? insertUser(chat, { username: body.username })
    if (person.bot === 1) throw new Refusal(403, 'username: not allowed: this is a bot')
    if (person.banned === 1) throw new Refusal(403, 'username: not allowed: this person is banned')
    return { token: openSession(chat, person.id), person: personView(person) }
  },
}
