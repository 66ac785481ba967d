"""`resourcequota`: a gang is admitted only if its namespace's quotas have room for all of it."""

from collections import Counter

from windlass.apis.reasons import QuotaInsufficient
from windlass.scheduler.framework.extension_points import Vote
from windlass.scheduler.framework.plugin import Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.jobs import Job


class ResourceQuota(Plugin):
    NAME = "resourcequota"

    def open(self, session: Session) -> None:
        self._session = session
        self._admitted: dict[str, Counter[str]] = {}
        """What was admitted during this cycle, by namespace."""

    def job_enqueueable(self, job: Job) -> Vote:
        asked, admitted = job.quota_asked, self._admitted.get(job.namespace, Counter())
        for quota in self._session.cluster.quotas.get(job.namespace, ()):
            short = sorted(
                name
                for name, hard in quota.hard.items()
                if name in asked and asked[name] + quota.used.get(name, 0) + admitted[name] > hard + 1e-6
            )
            if short:
                self._session.refuse(job, QuotaInsufficient(quota.name, tuple(short)))
                return Vote.REJECT
        return Vote.ABSTAIN

    def job_enqueued(self, job: Job) -> None:
        self._admitted.setdefault(job.namespace, Counter()).update(job.quota_asked)
