package io.csi4j.micrometer;

import io.csi4j.core.spi.AttachmentEvent;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.spi.ClaimEvent;
import io.csi4j.core.spi.DriftEvent;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.MissedStepEvent;
import io.csi4j.core.spi.PluginHealthEvent;
import io.csi4j.core.spi.QuotaEvent;
import io.csi4j.core.spi.SecretsAbsentEvent;
import io.csi4j.core.spi.VolumeEvent;
import io.micrometer.core.instrument.Counter;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** Counts the events of an engine. */
final class EngineEvents implements EventListener {
    private final KnownPlugins plugins;
    private final Map<ClaimEvent.Change, Counter> claims;
    private final Map<AttachmentEvent.Change, Counter> attachments;
    private final Map<VolumeEvent.Change, Counter> volumes;
    private final Map<QuotaEvent.Change, Counter> quotas;

    EngineEvents(MeterFactory meters, KnownPlugins plugins) {
        this.plugins = plugins;
        this.claims = counters(meters, CsiMeter.CLAIM_CHANGES, ClaimEvent.Change.class);
        this.attachments = counters(meters, CsiMeter.ATTACHMENT_CHANGES, AttachmentEvent.Change.class);
        this.volumes = counters(meters, CsiMeter.VOLUME_CHANGES, VolumeEvent.Change.class);
        this.quotas = counters(meters, CsiMeter.QUOTA_CHANGES, QuotaEvent.Change.class);
    }

    private static <E extends Enum<E>> Map<E, Counter> counters(MeterFactory meters, CsiMeter meter, Class<E> changes) {
        Map<E, Counter> counters = new EnumMap<>(changes);
        for (E change : changes.getEnumConstants()) {
            counters.put(change, meters.counter(meter, TagValues.of(change)));
        }
        return counters;
    }

    private static <E> void count(Map<E, Counter> counters, E change) {
        Objects.requireNonNull(counters.get(change), "counter").increment();
    }

    @Override
    public void callFinished(CallEvent event) {
        plugins.of(event.pluginId()).call(event);
    }

    @Override
    public void volumeChanged(VolumeEvent event) {
        count(volumes, event.change());
    }

    @Override
    public void quotaChanged(QuotaEvent event) {
        count(quotas, event.change());
    }

    @Override
    public void claimChanged(ClaimEvent event) {
        count(claims, event.change());
    }

    @Override
    public void attachmentChanged(AttachmentEvent event) {
        count(attachments, event.change());
    }

    @Override
    public void pluginHealthChanged(PluginHealthEvent event) {
        plugins.of(event.pluginId()).healthChanged();
    }

    @Override
    public void driftFound(DriftEvent event) {
        plugins.of(event.pluginId()).drift(event);
    }

    @Override
    public void missedStepFound(MissedStepEvent event) {
        plugins.of(event.pluginId()).missedStep();
    }

    @Override
    public void secretsAbsent(SecretsAbsentEvent event) {
        plugins.of(event.pluginId()).secretsAbsent();
    }
}
