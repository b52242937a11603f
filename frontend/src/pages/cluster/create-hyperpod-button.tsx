import Button from '@cloudscape-design/components/button';
import { useNavigate } from 'react-router';
import { addressOf, CREATE_HYPERPOD } from './tab-list';

/** The way from a foundation to its HyperPod cluster. */
export function CreateHyperPodButton({ tag }: { tag: string }) {
  const navigate = useNavigate();
  return <Button onClick={() => void navigate(addressOf(tag, CREATE_HYPERPOD))}>Create HyperPod cluster</Button>;
}
