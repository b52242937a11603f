import { useTrainingPlans } from '../../api/catalog';
import { useWhole } from '../../api/listings';
import type { TrainingPlanView } from '../../api/schema';
import { PageLink } from '../../components/page-link';
import { SuggestedField } from '../fields';
import type { GroupProps } from './group-form';

/** The training plan whose capacity a group takes; the group gets the plan's instance type. */
export function PlanField({ group, place, onChange }: GroupProps) {
  const { items: plans, isPending, error, unknown } = useWhole(useTrainingPlans());
  const reason = error?.problem.detail ?? unknown[0]?.reason;
  const choose = (arn: string) => {
    const type = plans.find((plan) => plan.arn === arn)?.capacities[0]?.instance_type;
    onChange({ training_plan_arn: arn, ...(type ? { instance_type: type } : {}) });
  };
  return (
    <SuggestedField
      field={`${place}.training_plan_arn`}
      label="Training plan"
      value={group.training_plan_arn}
      options={plans.map(planOption)}
      isReading={isPending}
      note={reason && `The training plans could not be read: ${reason}`}
      placeholder="Choose a plan, or type its ARN"
      constraint={
        <>
          Plans to be bought are in the{' '}
          <PageLink to="/catalog/training-plans" fontSize="inherit">
            catalog
          </PageLink>
          .
        </>
      }
      onChange={choose}
    />
  );
}

function planOption({ arn, name, status, capacities, available_instances, total_instances }: TrainingPlanView) {
  const capacity = capacities.map(({ instance_type, availability_zone }) =>
    [instance_type, availability_zone].filter(Boolean).join(' in '),
  );
  return {
    value: arn,
    label: name,
    labelTag: status,
    description: [...capacity, `${available_instances} of ${total_instances} instances free`].join(' · '),
  };
}
