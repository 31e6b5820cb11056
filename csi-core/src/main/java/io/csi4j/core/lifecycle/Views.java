package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumePage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a caller sees of volumes: one snapshot, its own namespaces, and nothing sensitive (S11, S24, I10). */
final class Views {
    private final Operations operations;

    Views(Operations operations) {
        this.operations = operations;
    }

    Optional<VolumeView> volume(Caller caller, VolumeKey key) {
        operations.allow(caller, Access.in(key.namespace(), Permission.VOLUME_READ));
        return VolumeView.of(operations.state(), key)
                .map(view -> new VolumeView(withoutSecrets(view.volume()), view.plugin(), view.claims()));
    }

    /** A page of volumes; over all namespaces, those of the namespaces the caller may list. */
    VolumePage volumes(Caller caller, VolumeQuery query) {
        query.namespace().ifPresent(name -> operations.allow(caller, Access.in(name, Permission.VOLUME_LIST)));
        StateReader state = operations.state();
        List<Volume> items = new ArrayList<>();
        VolumeQuery rest = query;
        while (true) {
            VolumePage page = state.volumes(rest);
            page.items().stream()
                    .filter(volume -> mayList(caller, volume))
                    .map(Views::withoutSecrets)
                    .forEach(items::add);
            if (page.next().isEmpty() || items.size() >= query.limit()) {
                return new VolumePage(items, page.next());
            }
            // Only what is still missing is asked for, so that the last key of a page is where the next begins.
            rest = query.toBuilder()
                    .after(page.next().get())
                    .limit(query.limit() - items.size())
                    .build();
        }
    }

    private boolean mayList(Caller caller, Volume volume) {
        Access access = Access.in(volume.key().namespace(), Permission.VOLUME_LIST);
        return operations.ports().access().allows(caller.principal(), access);
    }

    /** What whoever changed a volume sees of it: to run the cluster lets one see everything, to declare volumes does not. */
    Volume answer(Caller caller, Volume volume) {
        return operations.ports().access().allows(caller.principal(), Access.of(Permission.MANAGEMENT))
                ? volume
                : withoutSecrets(volume);
    }

    /** The volume without what only calls to its plugin may carry. */
    static Volume withoutSecrets(Volume volume) {
        Attachments attachments = volume.attachments();
        for (Attachment attachment : volume.attachments()) {
            if (!attachment.publishContext().isEmpty()) {
                attachments = attachments.with(attachment.toBuilder()
                        .publishContext(PublishContext.empty())
                        .build());
            }
        }
        return volume.toBuilder()
                .spec(volume.spec().toBuilder()
                        .secrets(Secrets.empty())
                        .volumeContext(VolumeContext.empty())
                        .restore())
                .facts(volume.facts().toBuilder()
                        .volumeContext(VolumeContext.empty())
                        .build())
                .attachments(attachments)
                .build();
    }
}
