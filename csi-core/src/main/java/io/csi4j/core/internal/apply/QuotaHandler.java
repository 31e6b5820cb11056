package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.VolumeQuota;
import java.util.List;
import java.util.Optional;

/** Keeps the rows of quotas. {@link QuotaCheck} compares them with the use. */
final class QuotaHandler implements QuotaCommand.Cases<Outcome> {
    private final Step step;

    QuotaHandler(Step step) {
        this.step = step;
    }

    @Override
    public Outcome putQuota(QuotaCommand.PutQuota command) {
        List<Problem> problems = command.quota().problems();
        if (!problems.isEmpty()) {
            return Step.rejected(new Rejection.InvalidRequest(command.key().toString(), problems));
        }
        Optional<VolumeQuota> known = step.reader().quota(command.key());
        if (known.filter(row -> row.sameValues(command.quota())).isPresent()) {
            return step.accepted();
        }
        long modifyIndex = known.map(VolumeQuota::modifyIndex).orElse(0L);
        if (command.ifModifyIndex() != 0 && command.ifModifyIndex() != modifyIndex) {
            return Step.rejected(new Rejection.QuotaChanged(command.key(), command.ifModifyIndex(), modifyIndex));
        }
        step.writer()
                .put(
                        RowType.QUOTAS,
                        command.quota()
                                .stored(known.map(VolumeQuota::createIndex).orElse(step.index()), step.index()));
        return step.accepted();
    }

    @Override
    public Outcome removeQuota(QuotaCommand.RemoveQuota command) {
        boolean present = step.reader()
                .quota(command.key())
                .filter(row -> command.ifCreateIndex() == 0 || command.ifCreateIndex() == row.createIndex())
                .isPresent();
        if (present) {
            step.writer().remove(RowType.QUOTAS, command.key());
        }
        return step.accepted();
    }
}
