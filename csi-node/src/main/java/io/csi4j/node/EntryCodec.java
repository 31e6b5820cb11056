package io.csi4j.node;

import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A record as bytes: the fields in order, in a frame. Texts are kept as code units, so that each comes back as it was.
 */
final class EntryCodec {
    /** More than most records have. */
    private static final int USUAL_BYTES = 2048;

    private EntryCodec() {}

    static byte[] encode(VolumeEntry entry) throws IOException {
        ByteArrayOutputStream bytes = RecordFrames.begin(USUAL_BYTES);
        DataOutputStream body = new DataOutputStream(bytes);
        text(body, entry.key().namespace().value());
        text(body, entry.key().volumeId().value());
        NodeVolumeId id = entry.id();
        body.writeBoolean(id != null);
        if (id != null) {
            text(body, id.pluginId().value());
            text(body, id.externalVolumeId().value());
        }
        StagingEntry staging = entry.staging();
        body.writeBoolean(staging != null);
        if (staging != null) {
            terms(body, staging.terms());
            text(body, staging.phase().name());
            text(body, staging.bootId());
            body.writeBoolean(staging.seen());
        }
        body.writeInt(entry.users().size());
        for (UserEntry user : entry.users()) {
            text(body, user.allocationId().value());
            terms(body, user.terms());
            text(body, user.phase().name());
            text(body, user.bootId());
            body.writeBoolean(user.seen());
        }
        body.writeBoolean(entry.rebuilt());
        body.writeLong(entry.uncertainSince());
        // Behind all that the first programs wrote, so that their records can be read.
        for (UserEntry user : entry.users()) {
            body.writeBoolean(user.secrets().stage());
            body.writeBoolean(user.secrets().publish());
        }
        for (UserEntry user : entry.users()) {
            body.writeBoolean(user.mayRun());
        }
        for (UserEntry user : entry.users()) {
            order(body, user.order());
        }
        return RecordFrames.finish(bytes);
    }

    /** What the last frame of a file says. Throws an IOException that tells what is wrong, and nothing of what is in it. */
    static VolumeEntry decode(byte[] file) throws IOException {
        return decode(RecordFrames.last(file).orElseThrow(() -> new IOException("it was cut off")));
    }

    static VolumeEntry decode(RecordFrames.Last last) throws IOException {
        try {
            return body(new DataInputStream(last.body()));
        } catch (IllegalArgumentException | IOException e) {
            // The cause may hold what is in the record, and is left out.
            throw new IOException("its contents are not those of a record");
        }
    }

    private static VolumeEntry body(DataInputStream in) throws IOException {
        VolumeKey key = VolumeKey.of(text(in), text(in));
        NodeVolumeId id =
                in.readBoolean() ? new NodeVolumeId(key, PluginId.of(text(in)), ExternalVolumeId.of(text(in))) : null;
        StagingEntry staging = in.readBoolean()
                ? new StagingEntry(terms(in), StagingPhase.valueOf(text(in)), text(in), in.readBoolean())
                : null;
        List<UserEntry> users = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            users.add(new UserEntry(
                    AllocationId.of(text(in)), terms(in), UserPhase.valueOf(text(in)), text(in), in.readBoolean()));
        }
        boolean rebuilt = in.readBoolean();
        long uncertainSince = in.readLong();
        if (in.available() > 0) {
            for (int at = 0; at < users.size(); at++) {
                users.set(at, users.get(at).with(new HadSecrets(in.readBoolean(), in.readBoolean())));
            }
        }
        if (in.available() > 0) {
            for (int at = 0; at < users.size(); at++) {
                users.set(at, users.get(at).withMayRun(in.readBoolean()));
            }
        }
        if (in.available() > 0) {
            for (int at = 0; at < users.size(); at++) {
                users.set(at, users.get(at).with(order(in)));
            }
        }
        return new VolumeEntry(key, id, staging, users, rebuilt, uncertainSince);
    }

    private static void order(DataOutputStream out, @Nullable UnmountOrder order) throws IOException {
        out.writeBoolean(order != null);
        if (order != null) {
            text(out, order.operator());
            text(out, order.reason());
            out.writeLong(order.atMillis());
        }
    }

    private static @Nullable UnmountOrder order(DataInputStream in) throws IOException {
        return in.readBoolean() ? new UnmountOrder(text(in), text(in), in.readLong()) : null;
    }

    private static void terms(DataOutputStream out, MountTerms terms) throws IOException {
        text(out, terms.capability().accessMode().name());
        text(out, terms.capability().attachmentMode().name());
        text(out, terms.mountOptions().fsType());
        text(out, terms.mountOptions().volumeMountGroup());
        List<String> flags = terms.mountOptions().mountFlags().asList();
        out.writeInt(flags.size());
        for (String flag : flags) {
            text(out, flag);
        }
        out.writeBoolean(terms.readonly());
        map(out, terms.publishContext().asMap());
        map(out, terms.volumeContext().asMap());
    }

    private static MountTerms terms(DataInputStream in) throws IOException {
        RequestedCapability capability =
                new RequestedCapability(AccessMode.valueOf(text(in)), AttachmentMode.valueOf(text(in)));
        String fsType = text(in);
        String group = text(in);
        List<String> flags = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            flags.add(text(in));
        }
        MountOptions options = new MountOptions(fsType, MountFlags.of(flags), group);
        boolean readonly = in.readBoolean();
        return new MountTerms(capability, options, readonly, PublishContext.of(map(in)), VolumeContext.of(map(in)));
    }

    private static void map(DataOutputStream out, Map<String, String> map) throws IOException {
        out.writeInt(map.size());
        for (Map.Entry<String, String> entry : map.entrySet()) {
            text(out, entry.getKey());
            text(out, entry.getValue());
        }
    }

    private static Map<String, String> map(DataInputStream in) throws IOException {
        Map<String, String> map = new LinkedHashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            map.put(text(in), text(in));
        }
        return map;
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        out.writeInt(text.length());
        byte[] units = new byte[2 * text.length()];
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            units[2 * i] = (byte) (unit >> 8);
            units[2 * i + 1] = (byte) unit;
        }
        out.write(units);
    }

    private static String text(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available() / 2) {
            throw new IOException("a text is longer than the record");
        }
        char[] chars = new char[length];
        for (int i = 0; i < length; i++) {
            chars[i] = in.readChar();
        }
        return new String(chars);
    }
}
