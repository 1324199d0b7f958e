import { endpoint, Name, Permission, Role } from '@botwright/protocol'
import * as z from 'zod'
import { spec } from '../spec.ts'

export const Color = z.string().regex(/^#[0-9a-f]{6}$/i, { error: 'must be "#rrggbb"' })

export const roles = {
  create: endpoint({
    method: 'POST',
    path: '/servers/{server_id}/roles',
    spec,
    summary: 'Create a role',
    body: z.object({
      name: Name,
      permissions: z.array(Permission).default([]),
      color: Color.nullable().default(null),
      position: z.int().min(1).optional(),
    }),
    response: z.object({ role: Role }),
    permission: 'manage_roles',
  }),
} as const
