import type { Configuration } from '../../api/configuration';

/** What `infra/agent_templates.py` writes. */
export interface Templates {
  server: string;
  agent: string;
  doors: Record<DoorName, Door>;
  /** The tools of an address that asks for a toolset, by its name. */
  toolsets: Record<string, string[]>;
  tools: Tool[];
  skills: Skill[];
}

/** How an agent gets in: without more ado, with a person who signs in, or with a role that signs its requests. */
export type DoorName = 'open' | 'sign_in' | 'signed';

interface Door {
  files: Record<string, string>;
  inspection: string;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  toolset: string;
  reads: boolean;
  destroys: boolean;
}

export interface Skill {
  title: string;
  description: string;
  uri: string;
  text: string;
}

/** What a person chooses of what an address offers. */
export interface Choices {
  toolsets: readonly string[];
  readonly: boolean;
}

type Place = Pick<Configuration, 'mcp_url' | 'signed_mcp_url' | 'region' | 'agent'>;

/** The toolset of an address that asks for none. */
export const USUAL = 'default';

/** The doors that a deployment has, the one for people first. */
export function doorsOf({ agent, signed_mcp_url }: Place): DoorName[] {
  const forPeople: DoorName = agent === null ? 'open' : 'sign_in';
  return signed_mcp_url ? [forPeople, 'signed'] : [forPeople];
}

/** The address of a door, with what was chosen behind it. */
export function addressOf(place: Place, door: DoorName, choices: Choices): string {
  return `${door === 'signed' ? place.signed_mcp_url : place.mcp_url}${queryOf(choices)}`;
}

/** Put a deployment and what was chosen into a text of `infra/agents.py`. */
export function filled(template: string, place: Place, choices: Choices): string {
  const values: Readonly<Record<string, string>> = {
    '{origin}': place.mcp_url.replace(/\/mcp$/, ''),
    '{signed_url}': place.signed_mcp_url ?? '',
    '?{choices}': queryOf(choices),
    '{client_id}': place.agent?.client_id ?? '',
    '{region}': place.region,
  };
  return template.replace(/\??\{[a-z_]+\}/g, (mark) => values[mark] ?? mark);
}

/** The tools that an address offers to whoever may use all of them. */
export function toolsOf({ tools, toolsets }: Templates, choices: Choices): Tool[] {
  const asked = choices.toolsets.length > 0 ? choices.toolsets : [USUAL];
  const offered = new Set(asked.flatMap((name) => toolsets[name] ?? []));
  return tools.filter(({ name, reads }) => offered.has(name) && (reads || !choices.readonly));
}

function queryOf({ toolsets, readonly }: Choices): string {
  const isUsual = toolsets.length === 0 || (toolsets.length === 1 && toolsets[0] === USUAL);
  const asked = [!isUsual && `toolsets=${toolsets.join(',')}`, readonly && 'readonly'].filter(Boolean);
  return asked.length > 0 ? `?${asked.join('&')}` : '';
}
