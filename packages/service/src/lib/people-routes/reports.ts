import type { Chat } from '../chat.ts'
import type { MessageRow } from '../db/rows.ts'
import type { Handlers } from '../http/handlers.ts'
import { iso, isoOrNull } from '../iso-time.ts'
import type { PeopleEndpoints } from '../people-api/endpoints/index.ts'
import type { Report } from '../people-api/resources.ts'
import { notFound, Refusal } from '../refusal.ts'
import { canSee, findChannel } from '../store/access.ts'
import { deleteMessage } from '../store/messages.ts'
import { authorView, findUser } from '../store/users.ts'
import { newId } from '../tokens.ts'
import { countViolation } from '../rules/violations.ts'

interface ReportRow {
  id: string
  message_id: string
  channel_id: string
  author_id: string
  content: string
  reporter_id: string
  reason: string
  state: Report['state']
  created_at: number
  decided_at: number | null
}

const reportView = (chat: Chat, row: ReportRow): Report => ({
  id: row.id,
  message_id: row.message_id,
  channel_id: row.channel_id,
  author: authorView(findUser(chat, row.author_id)!),
  content: row.content,
  reporter: authorView(findUser(chat, row.reporter_id)!),
  reason: row.reason,
  state: row.state,
  created_at: iso(row.created_at),
  decided_at: isoOrNull(row.decided_at),
})

const findReport = (chat: Chat, id: string) => chat.sql.get<ReportRow>('SELECT * FROM reports WHERE id = ?', id)

/** Handlers for reports (§1: bots and people have the same content rules). */
export const reports: Handlers<PeopleEndpoints>['reports'] = {
  create({ chat, actor, body }) {
    const message = chat.sql.get<MessageRow>('SELECT * FROM messages WHERE id = ?', body.message_id)
    const channel = message && findChannel(chat, message.channel_id)
    if (!message || !channel || !canSee(chat, channel, actor.id)) throw notFound('message')
    const before = chat.sql.get<ReportRow>(
      'SELECT * FROM reports WHERE message_id = ? AND reporter_id = ?',
      message.id,
      actor.id,
    )
    if (before && before.state !== 'open') throw new Refusal(400, `message_id: your report was already ${before.state}`)
    const id = before?.id ?? newId()
    if (before) chat.sql.run('UPDATE reports SET reason = ? WHERE id = ?', body.reason, id)
    else {
      chat.sql.run(
        `INSERT INTO reports (id, message_id, channel_id, author_id, content, reporter_id, reason, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        message.id,
        channel.id,
        message.author_id,
        message.content,
        actor.id,
        body.reason,
        chat.clock.now(),
      )
    }
    return { report: reportView(chat, findReport(chat, id)!) }
  },
  list({ chat, query }) {
    const rows = chat.sql.all<ReportRow>(
      'SELECT * FROM reports WHERE ?1 IS NULL OR state = ?1 ORDER BY seq',
      query.state ?? null,
    )
    return { reports: rows.map((row) => reportView(chat, row)) }
  },
  decide({ chat, params, body }) {
    const report = findReport(chat, params.report_id)
    if (!report) throw notFound('report')
    if (report.state !== 'open') throw new Refusal(400, `the report was already ${report.state}`)
    const now = chat.clock.now()
    if (body.uphold) {
      // Several reports of one message count as one violation.
      chat.sql.run(
        "UPDATE reports SET state = 'upheld', decided_at = ? WHERE message_id = ? AND state = 'open'",
        now,
        report.message_id,
      )
      const channel = findChannel(chat, report.channel_id)
      if (channel && chat.sql.get('SELECT 1 FROM messages WHERE id = ?', report.message_id)) {
        deleteMessage(chat, channel, report.message_id)
      }
      // A channel webhook has no account: its creator is responsible.
      countViolation(chat, findUser(chat, report.author_id)!.creator_id ?? report.author_id)
    } else {
      chat.sql.run("UPDATE reports SET state = 'dismissed', decided_at = ? WHERE id = ?", now, report.id)
    }
    return { report: reportView(chat, findReport(chat, report.id)!) }
  },
}
