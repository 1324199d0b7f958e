import { endpoint, endpoints, Id, Name, Ok, Permission, Role, Server } from '@botwright/protocol'
import * as z from 'zod'
import { spec } from '../spec.ts'
import { Color } from './roles.ts'

const role = '/servers/{server_id}/roles/{role_id}'

/** Server settings that bots cannot read or change. */
export const settings = {
  get: endpoint({
    method: 'GET',
    path: '/servers/{server_id}/settings',
    spec,
    summary: 'Get the flags of a server, and the roles and members with access to its channels',
    response: z.object({
      flags: z.object({ bot_voice: z.boolean(), channel_webhooks: z.boolean() }),
      access: z.array(
        z.object({
          channel_id: Id,
          role_ids: z.array(Id),
          post_role_ids: z.array(Id),
          member_ids: z.array(Id).describe('members whom the world lets in, without a role'),
        }),
      ),
    }),
  }),
  rename: endpoint({
    method: 'PATCH',
    path: '/servers/{server_id}',
    spec,
    summary: 'Rename a server',
    body: z.object({ name: Name }),
    response: z.object({ server: Server }),
    permission: 'manage_server',
  }),
  updateRole: endpoint({
    method: 'PATCH',
    path: role,
    spec,
    summary: "Update a role below the person's highest role",
    body: z.object({
      name: Name.optional(),
      permissions: z.array(Permission).optional(),
      color: Color.nullable().optional(),
      position: z.int().min(1).optional(),
    }),
    response: z.object({ role: Role }),
    permission: 'manage_roles',
  }),
  deleteRole: endpoint({
    method: 'DELETE',
    path: role,
    spec,
    summary: "Delete a role below the person's highest role",
    response: Ok,
    permission: 'manage_roles',
  }),
  orderRoles: endpoint({
    method: 'PUT',
    path: '/servers/{server_id}/role-order',
    spec,
    summary:
      "Set the order of the roles below the person's highest role, from the lowest; higher roles stay above them",
    body: z.object({ role_ids: z.array(Id) }),
    response: z.object({ roles: z.array(Role) }),
    permission: 'manage_roles',
  }),
  order: endpoint({
    method: 'PUT',
    path: '/servers/{server_id}/order',
    spec,
    summary: 'Set the sidebar order of channels or categories; those not listed keep their places',
    body: z.object({ channel_ids: z.array(Id).optional(), category_ids: z.array(Id).optional() }),
    response: Ok,
    permission: 'manage_channels',
  }),
  updateCategory: endpoint({ ...endpoints.categories.update, spec }),
  deleteCategory: endpoint({ ...endpoints.categories.delete, spec }),
} as const
