package io.csi4j.proto;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.proto.csi.v1.ControllerGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.ControllerModifyVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerServiceCapability;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.CsiProto;
import io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse;
import io.csi4j.proto.csi.v1.VolumeCapability;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks the encoded bytes against a peer that uses the published names. */
class WireBytesTest {
    /** The compiled file with the published name of the renamed field. */
    private static FileDescriptor peer() throws Exception {
        FileDescriptorProto.Builder file = CsiProto.getDescriptor().toProto().toBuilder();
        file.getMessageTypeBuilderList().forEach(message -> {
            message.getFieldBuilderList().stream()
                    .filter(field -> field.getName().equals("modifiable_parameters"))
                    .forEach(field -> field.setName("mutable_parameters")
                            .setTypeName(field.getTypeName()
                                    .replace("ModifiableParametersEntry", "MutableParametersEntry")));
            message.getNestedTypeBuilderList().stream()
                    .filter(nested -> nested.getName().equals("ModifiableParametersEntry"))
                    .forEach(nested -> nested.setName("MutableParametersEntry"));
        });
        file.getMessageTypeBuilderList().stream()
                .flatMap(message -> message.getNestedTypeBuilderList().stream())
                .forEach(nested -> nested.getFieldBuilderList().stream()
                        .filter(field -> field.getName().equals("modifiable_parameters"))
                        .forEach(field -> field.setName("mutable_parameters")));
        return FileDescriptor.buildFrom(
                file.build(), CsiProto.getDescriptor().getDependencies().toArray(FileDescriptor[]::new));
    }

    @Test
    void fieldRenamedInOurProtoFileIsDecodedByPublishedProtoFile() throws Exception {
        Descriptor type = peer().findMessageTypeByName("ControllerModifyVolumeRequest");
        FieldDescriptor mutableParameters = type.findFieldByName("mutable_parameters");

        DynamicMessage received = DynamicMessage.parseFrom(
                type,
                ControllerModifyVolumeRequest.newBuilder()
                        .setVolumeId("vol-1")
                        .putModifiableParameters("iops", "500")
                        .build()
                        .toByteArray());

        assertThat(received.getUnknownFields().asMap()).isEmpty();
        DynamicMessage entry = (DynamicMessage) received.getRepeatedField(mutableParameters, 0);
        assertThat(entry.getAllFields().values()).containsExactly("iops", "500");
    }

    @Test
    void messageIsDecodedFromBytesWithFieldNumbersOfCsi() throws IOException {
        CreateVolumeRequest request = CreateVolumeRequest.parseFrom(bytes(out -> {
            out.writeString(1, "pvc-1");
            out.writeByteArray(2, bytes(range -> {
                range.writeInt64(1, 1024);
                range.writeInt64(2, 2048);
            }));
            out.writeByteArray(3, bytes(capability -> {
                capability.writeByteArray(2, bytes(mount -> {
                    mount.writeString(1, "ext4");
                    mount.writeString(2, "noatime");
                    mount.writeString(2, "discard");
                    mount.writeString(3, "1000");
                }));
                capability.writeByteArray(3, bytes(mode -> mode.writeEnum(1, 7)));
            }));
            out.writeByteArray(4, entry("tier", "gold"));
            out.writeByteArray(5, entry("token", "s"));
            out.writeByteArray(
                    6, bytes(source -> source.writeByteArray(2, bytes(volume -> volume.writeString(1, "v0")))));
            out.writeByteArray(
                    7, bytes(need -> need.writeByteArray(2, bytes(t -> t.writeByteArray(1, entry("z", "1"))))));
            out.writeByteArray(8, entry("iops", "500"));
        }));

        assertThat(request.getName()).isEqualTo("pvc-1");
        assertThat(request.getCapacityRange().getRequiredBytes()).isEqualTo(1024);
        assertThat(request.getCapacityRange().getLimitBytes()).isEqualTo(2048);
        VolumeCapability capability = request.getVolumeCapabilities(0);
        assertThat(capability.getMount().getFsType()).isEqualTo("ext4");
        assertThat(capability.getMount().getMountFlagsList()).containsExactly("noatime", "discard");
        assertThat(capability.getMount().getVolumeMountGroup()).isEqualTo("1000");
        assertThat(capability.getAccessMode().getMode())
                .isEqualTo(VolumeCapability.AccessMode.Mode.SINGLE_NODE_MULTI_WRITER);
        assertThat(request.getParametersMap()).containsExactly(Map.entry("tier", "gold"));
        assertThat(request.getSecretsMap()).containsOnlyKeys("token");
        assertThat(request.getVolumeContentSource().getVolume().getVolumeId()).isEqualTo("v0");
        assertThat(request.getAccessibilityRequirements().getPreferred(0).getSegmentsMap())
                .containsEntry("z", "1");
        assertThat(request.getModifiableParametersMap()).containsEntry("iops", "500");
        assertThat(request.getUnknownFields().asMap()).isEmpty();
    }

    @Test
    void messageIsEncodedWithFieldNumbersOfCsi() throws IOException {
        byte[] encoded = CreateVolumeRequest.newBuilder()
                .setName("pvc-1")
                .putParameters("tier", "gold")
                .putModifiableParameters("iops", "500")
                .build()
                .toByteArray();

        assertThat(encoded).isEqualTo(bytes(out -> {
            out.writeString(1, "pvc-1");
            out.writeByteArray(4, entry("tier", "gold"));
            out.writeByteArray(8, entry("iops", "500"));
        }));
    }

    @Test
    void unknownFieldsAndEnumNumbersAreKept() throws IOException {
        ControllerGetCapabilitiesResponse response = ControllerGetCapabilitiesResponse.parseFrom(bytes(out -> {
            out.writeByteArray(
                    1, bytes(capability -> capability.writeByteArray(1, bytes(rpc -> rpc.writeEnum(1, 99)))));
            out.writeString(77, "from the future");
        }));

        ControllerServiceCapability.RPC rpc = response.getCapabilities(0).getRpc();
        assertThat(rpc.getType()).isEqualTo(ControllerServiceCapability.RPC.Type.UNRECOGNIZED);
        assertThat(rpc.getTypeValue()).isEqualTo(99);
        UnknownFieldSet.Field unknown = response.getUnknownFields().getField(77);
        assertThat(unknown.getLengthDelimitedList()).containsExactly(ByteString.copyFromUtf8("from the future"));
    }

    @Test
    @SuppressWarnings("deprecation") // fields that CSI 1.13 removed are still read from older peers
    void fieldsRemovedFromCsiAreStillRead() throws InvalidProtocolBufferException, IOException {
        NodeGetVolumeStatsResponse response =
                NodeGetVolumeStatsResponse.parseFrom(bytes(out -> out.writeByteArray(2, bytes(condition -> {
                    condition.writeBool(1, true);
                    condition.writeString(2, "stale handle");
                }))));

        assertThat(response.getVolumeCondition().getAbnormal()).isTrue();
        assertThat(response.getVolumeCondition().getMessage()).isEqualTo("stale handle");
    }

    @Test
    void mapEntriesAreWrittenInInsertionOrder() throws IOException {
        byte[] encoded = CreateVolumeRequest.newBuilder()
                .putParameters("z", "1")
                .putParameters("a", "2")
                .build()
                .toByteArray();

        CodedInputStream in = CodedInputStream.newInstance(encoded);
        in.readTag();
        assertThat(new String(in.readByteArray(), StandardCharsets.UTF_8)).contains("z");
        in.readTag();
        assertThat(new String(in.readByteArray(), StandardCharsets.UTF_8)).contains("a");
    }

    private static byte[] entry(String key, String value) throws IOException {
        return bytes(entry -> {
            entry.writeString(1, key);
            entry.writeString(2, value);
        });
    }

    private static byte[] bytes(Writer writer) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        writer.write(out);
        out.flush();
        return bytes.toByteArray();
    }

    @FunctionalInterface
    private interface Writer {
        void write(CodedOutputStream out) throws IOException;
    }
}
